/* SPDX-License-Identifier: PostgreSQL */
/*
 * describe_cells.h
 *	  What the groups of a block are made of.
 */
#ifndef DP_REWRITE_DESCRIBE_CELLS_H
#define DP_REWRITE_DESCRIBE_CELLS_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/*
 * Describe the groups of a block as cells.h says, before its exact query is made; NIL if its
 * answer is nothing that could be added up, from others or to others.
 */
extern List *dp_rewrite_describe_cells(const DpBlockRewrite *rewrite);

/* Note the limit on values that expressions work on (work_limit.h), which is set later. */
extern void dp_rewrite_limit_cells(List *cells, Size longest);

#endif							/* DP_REWRITE_DESCRIBE_CELLS_H */
