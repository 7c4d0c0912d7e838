/* SPDX-License-Identifier: PostgreSQL */
/*
 * on_conditions.h
 *	  Conditions of ON that have subqueries.
 */
#ifndef DP_ASKING_ON_CONDITIONS_H
#define DP_ASKING_ON_CONDITIONS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Is this a condition that is moved?  `levels` are the query that has it and those around, innermost first. */
typedef bool (*DpMovesCondition) (Node *condition, List *levels);

/*
 * Move conditions of a query's joins to where they say the same: of inner joins to WHERE; of outer joins, which name
 * columns of one item alone, into a subquery in its place.  What cannot be moved stays.  Changes the query in place.
 */
extern void dp_asking_move_conditions(Query *query, List *levels, DpMovesCondition moves);

#endif							/* DP_ASKING_ON_CONDITIONS_H */
