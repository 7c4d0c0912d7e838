/* SPDX-License-Identifier: PostgreSQL */
/*
 * join_lists.h
 *	  Long lists that were read for IN, as rows to be joined.
 */
#ifndef DP_EXACT_JOIN_LISTS_H
#define DP_EXACT_JOIN_LISTS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Have `x = ANY (list)` among the conditions of an exact query's WHERE, at any level, be an inner join
 * with the list's values, each once, if there are so many that looking them up would slow down the
 * first row.  The rows are the same.  In place.
 */
extern void dp_exact_join_lists(Query *exact);

#endif							/* DP_EXACT_JOIN_LISTS_H */
