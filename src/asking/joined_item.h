/*
 * joined_item.h
 *	  Sub-selects that are made to be left-joined to a query.
 */
#ifndef DP_ASKING_JOINED_ITEM_H
#define DP_ASKING_JOINED_ITEM_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

#include "asking/correlated.h"

/* A sub-select in FROM that was made, and by what it is joined. */
typedef struct DpJoined
{
	Query	   *query;
	Index		varno;			/* in the range table of the query around it */
	Index		join;			/* number of the outer join */
	Node	   *condition;
} DpJoined;

/* Enter a sub-select in the range table of a query, and the number of the join that it will be in. */
extern DpJoined *dp_query_enter_joined(Query *query, Query *subselect);

/* Make a left join of the query's FROM and what was entered. */
extern void dp_query_join_entered(Query *query, const DpJoined *joined);

/* A column of what was joined, where its outer join may have put NULL in its place or not. */
extern Var *dp_query_joined_column(const DpJoined *joined, int number, bool above);

/* Was there a row to join?  What ties it, which is the first column, is never NULL then. */
extern Node *dp_query_was_joined(const DpJoined *joined);

/* Group a query by what ties it; false if a key has a type without order. */
extern bool dp_query_group_by_ties(Query *query, List *ties);

/* What joins a sub-select that was grouped by ties. */
extern Node *dp_query_by_ties(const DpJoined *joined, List *ties);

#endif							/* DP_ASKING_JOINED_ITEM_H */
