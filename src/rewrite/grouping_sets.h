/* SPDX-License-Identifier: PostgreSQL */
/*
 * grouping_sets.h
 *	  GROUPING SETS, ROLLUP, CUBE and GROUPING() of blocks.
 */
#ifndef DP_REWRITE_GROUPING_SETS_H
#define DP_REWRITE_GROUPING_SETS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * Replace every block of a statement that has grouping sets, or calls GROUPING, by a
 * query over blocks that have neither: one for each set.
 */
extern DpReason *dp_rewrite_expand_grouping_sets(Query *query);

#endif							/* DP_REWRITE_GROUPING_SETS_H */
