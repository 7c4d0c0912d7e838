/* SPDX-License-Identifier: PostgreSQL */
/*
 * pull_up.h
 *	  Subqueries, views and WITH queries that only stand for something plainer.
 */
#ifndef DP_FROM_PULL_UP_H
#define DP_FROM_PULL_UP_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "tree/reason.h"
#include "tree/statement.h"

/*
 * Merge subqueries, views and WITH queries that filter, project or
 * rename into the block, and bring those that group by the unit into the form
 * that read_from.c reads.  `levels` are the queries around the block, innermost
 * first.
 */
extern DpReason *dp_from_flatten_from(Query *block, List *levels, DpStatement *statement,
									  int location);

/*
 * Let a validated query look through merged views that the owner of
 * all its protected tables (of DpTable) made, whether the analyst may read them
 * or not.  The first own_entries of its range table were there before and keep
 * their checks.
 */
extern void dp_from_look_through_views(Query *query, int own_entries, List *tables);

/* Have SELECT DISTINCT without aggregates be GROUP BY all columns, which it means. */
extern void dp_from_distinct_to_group(Query *query);

/* A planner state with just what merging and expanding need. */
extern PlannerInfo *dp_from_make_root(Query *query, ParamListInfo params);

/* Count the references of a copied subquery to WITH queries of `levels`, those around it. */
extern void dp_from_count_references(Query *copy, List *levels);

#endif							/* DP_FROM_PULL_UP_H */
