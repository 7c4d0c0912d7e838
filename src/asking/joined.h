/* SPDX-License-Identifier: PostgreSQL */
/*
 * joined.h
 *	  Subqueries in the expressions of a query over protected rows.
 */
#ifndef DP_ASKING_JOINED_H
#define DP_ASKING_JOINED_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * A statement with what subqueries in the expressions of queries over protected rows stand for
 * joined to these, at any depth; itself if it has no subquery in an expression.  `ours`: does the statement
 * call any of our aggregates?
 */
extern Query *dp_asking_join_subselects(Query *query, bool ours);

#endif							/* DP_ASKING_JOINED_H */
