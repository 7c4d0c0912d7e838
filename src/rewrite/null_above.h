/* SPDX-License-Identifier: PostgreSQL */
/*
 * null_above.h
 *	  Arithmetic in the outer query that fails: NULL there.
 */
#ifndef DP_REWRITE_NULL_ABOVE_H
#define DP_REWRITE_NULL_ABOVE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Have built-in functions that may fail by what they are called with, and are called with anything
 * released, be NULL where they do, at every level of a statement of which the blocks are rewritten.
 * A LIMIT or OFFSET that is released is 0 where it is less.
 */
extern void dp_rewrite_null_above(Query *query);

#endif							/* DP_REWRITE_NULL_ABOVE_H */
