/* SPDX-License-Identifier: PostgreSQL */
/*
 * lateral.h
 *	  Items of FROM that are made of columns of items before them.
 */
#ifndef DP_FROM_LATERAL_H
#define DP_FROM_LATERAL_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * Have VALUES, functions and UNION ALL of rows of expressions, of columns of items before them, be
 * subqueries that are merged, in place, if they can be.
 */
extern void dp_from_make_lateral_subselect(RangeTblEntry *rte);

/*
 * Reason why a LATERAL subquery below `depth` queries may not name columns of items
 * before it; NULL if nothing does, or it names none.
 */
extern DpReason *dp_from_lateral_obstacle(RangeTblEntry *rte, int depth, int location);

/* Does a subquery below `depth` queries name columns of theirs? */
extern bool dp_from_names_outside(Query *query, int depth);

/* Have a LEFT JOIN of what always has one row be an inner join. */
extern void dp_from_join_always(Query *query, JoinExpr *join);

/* Have merged items be LATERAL only if they still name columns of others. */
extern void dp_from_settle_lateral(Query *query);

/* The refusal of an item of FROM that is no table. */
extern DpReason *dp_from_refuse_item(const RangeTblEntry *rte, int location);

#endif							/* DP_FROM_LATERAL_H */
