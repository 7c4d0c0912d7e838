/* SPDX-License-Identifier: PostgreSQL */
/*
 * of_class.h
 *	  Descriptions of noise, in the outer query, where max_groups is chosen: one for
 *	  each class.
 */
#ifndef DP_REWRITE_OF_CLASS_H
#define DP_REWRITE_OF_CLASS_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/*
 * Description of a block's noise for the outer query: a bytea constant, of one size
 * for all classes.
 */
typedef Const *(*DpDescribeNoise) (const DpBlock *block, void *arg);

/*
 * What that describes of the block that is rewritten: the constant, or where max_groups is chosen the
 * one of the class that a released row tells.
 */
extern Node *dp_rewrite_of_class(const DpBlockRewrite *rewrite, DpDescribeNoise describe, void *arg);

#endif							/* DP_REWRITE_OF_CLASS_H */
