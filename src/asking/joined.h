/*
 * joined.h
 *	  Subqueries in the expressions of a query over protected rows.
 */
#ifndef DP_ASKING_JOINED_H
#define DP_ASKING_JOINED_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Join to queries over protected rows, in place and at any depth, what subqueries in their
 * expressions stand for.  `ours`: does the statement call any of our aggregates?
 */
extern void dp_asking_join_subselects(Query *query, bool ours);

#endif							/* DP_ASKING_JOINED_H */
