/* SPDX-License-Identifier: PostgreSQL */
/*
 * stand_in.h
 *	  What stands for a subquery of an expression: a subquery in FROM, joined to the query.
 */
#ifndef DP_ASKING_STAND_IN_H
#define DP_ASKING_STAND_IN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * May what a subquery reads stand in FROM of the query around it, grouped like this?  `levels`
 * are the queries around it, innermost first.
 */
typedef bool (*DpMayStand) (Query *grouped, List *levels, void *context);

/* Where subqueries stand, and may be joined. */
typedef struct DpStand
{
	Query	   *query;			/* whose expressions they are in */
	List	   *levels;			/* of Query: this one and those around, innermost first */
	DpMayStand	may_stand;
	void	   *context;
} DpStand;

/*
 * Join what stands for a subquery to the query, and return the value that it has.  `exact`:
 * whether NULL and false are told apart there.  NULL if nothing can stand for it; then the query is as it was.
 */
extern Node *dp_asking_stand_in(const DpStand *stand, SubLink *sublink, bool exact);

#endif							/* DP_ASKING_STAND_IN_H */
