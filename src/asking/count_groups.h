/* SPDX-License-Identifier: PostgreSQL */
/*
 * count_groups.h
 *	  Counts of groups, answered as counts of distinct values.
 */
#ifndef DP_ASKING_COUNT_GROUPS_H
#define DP_ASKING_COUNT_GROUPS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Have a level that counts rows of SELECT DISTINCT, or of GROUP BY without aggregates, over protected rows
 * count distinct values of its keys instead, in place, unless the keys are public.  The innermost of
 * these levels (of Query) is the one.
 */
extern void dp_asking_count_groups(Query *query, List *levels);

#endif							/* DP_ASKING_COUNT_GROUPS_H */
