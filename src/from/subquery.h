/* SPDX-License-Identifier: PostgreSQL */
/*
 * subquery.h
 *	  Subqueries in FROM: what can be looked through, and what groups.
 */
#ifndef DP_FROM_SUBQUERY_H
#define DP_FROM_SUBQUERY_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"
#include "tree/statement.h"

/*
 * Reason why a subquery below `depth` queries cannot be looked through, whatever it
 * selects from; NULL if nothing does.
 */
extern DpReason *dp_from_subselect_obstacle(RangeTblEntry *rte, int depth, int location);

/* The same for what a subquery that does not group selects. */
extern DpReason *dp_from_projection_obstacle(Query *query, const DpStatement *statement);

/*
 * Turn a grouping query, in place, into a projection of one that only groups:
 *
 *		SELECT e(columns) FROM (SELECT keys, aggregates ... GROUP BY keys) WHERE having
 *
 * Aggregates come out as ones whose result does not depend on the order of rows.
 */
extern DpReason *dp_from_split_grouped(Query *query, const char *alias, int location);

#endif							/* DP_FROM_SUBQUERY_H */
