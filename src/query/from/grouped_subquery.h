/*
 * grouped_subquery.h
 *	  Sub-selects in FROM: which can be looked through, and those that group
 *	  rows by the privacy unit.
 */
#ifndef DP_QUERY_FROM_GROUPED_SUBQUERY_H
#define DP_QUERY_FROM_GROUPED_SUBQUERY_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "query/block/aggregate.h"
#include "query/nodes/reason.h"

#define DP_IN_SUBSELECT "in a sub-select over protected rows"

#define DP_UNIT_HINT \
	"Group by the privacy unit, or by the privacy unit and more, in the sub-select; " \
	"dp_agg.protected_tables shows which column that is."

/*
 * subquery.c: what keeps a sub-select from being looked through, whatever it selects from;
 * NULL if nothing does.
 */
extern DpReason *dp_query_subselect_obstacle(RangeTblEntry *rte, int location);

/* subquery.c: the same for what a sub-select that does not group selects. */
extern DpReason *dp_query_projection_obstacle(Query *query, ParamListInfo params);

/*
 * subquery.c: turn a grouping query, in place, into a projection of one that only groups:
 *
 *		SELECT e(columns) FROM (SELECT keys, aggregates ... GROUP BY keys) WHERE having
 *
 * Aggregates come out as ones whose result does not depend on the order of rows.
 */
extern DpReason *dp_query_split_grouped(Query *query, const char *alias, int location);

/*
 * grouped_subquery.c: validate, in place, a query that only groups; set what it contributes as
 * item `varno` of FROM.  One of the keys is the unit.
 */
extern DpReason *dp_query_read_grouped(Query *query, Index varno, ParamListInfo params,
									   int location, DpContribution *contribution);

#endif							/* DP_QUERY_FROM_GROUPED_SUBQUERY_H */
