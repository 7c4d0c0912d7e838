/* SPDX-License-Identifier: PostgreSQL */
/*
 * correlated.h
 *	  What ties a subquery of an expression to the query around it.
 */
#ifndef DP_ASKING_CORRELATED_H
#define DP_ASKING_CORRELATED_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* A comparison of an expression of a subquery with one of the query around it. */
typedef struct DpTie
{
	OpExpr	   *operator;		/* its form */
	bool		own_first;		/* does the subquery's stand on the left? */
	Node	   *own;			/* in terms of the subquery */
	Node	   *outer;			/* in terms of the query around it */
} DpTie;

/* A subquery whose own conditions alone are left in it. */
typedef struct DpCorrelated
{
	Query	   *query;			/* a copy */
	List	   *keys;			/* of DpTie: equalities */
	DpTie	   *bound;			/* one other comparison, or NULL */
	Node	   *outside;		/* conditions on the query around it alone, in its terms, or NULL */
} DpCorrelated;

/*
 * Take what ties a subquery out of its WHERE.  False if anything else in it names a column of
 * the `depth` queries around it.
 */
extern bool dp_asking_take_ties(Query *subselect, int depth, DpCorrelated *correlated);

/* The comparison with this in the subquery's place. */
extern Node *dp_asking_tie_with(const DpTie *tie, Node *own);

/*
 * The equalities that IN asks for, with these values of the subquery's columns; NIL if it asks
 * for anything else.
 */
extern List *dp_asking_ties_of_in(SubLink *sublink, List *values);

/* The values of what a query shows. */
extern List *dp_asking_shown_values(const Query *query);

/*
 * Subqueries that are made to be left-joined to a query.
 */

/* A subquery in FROM that was made, and by what it is joined. */
typedef struct DpJoined
{
	Query	   *query;
	Index		varno;			/* in the range table of the query around it */
	Index		join;			/* number of the outer join */
	Node	   *condition;
} DpJoined;

/* Enter a subquery in the range table of a query, and the number of the join that it will be in. */
extern DpJoined *dp_asking_enter_joined(Query *query, Query *subselect);

/* Make a left join of the query's FROM and what was entered. */
extern void dp_asking_join_entered(Query *query, const DpJoined *joined);

/* A column of what was joined, where its outer join may have put NULL in its place or not. */
extern Var *dp_asking_joined_column(const DpJoined *joined, int number, bool above);

/* Was there a row to join?  What ties it, which is the first column, is never NULL then. */
extern Node *dp_asking_was_joined(const DpJoined *joined);

/* Group a query by what ties it; false if a key has a type without order. */
extern bool dp_asking_group_by_ties(Query *query, List *ties);

/* Conditions that join a subquery that was grouped by ties. */
extern Node *dp_asking_by_ties(const DpJoined *joined, List *ties);

#endif							/* DP_ASKING_CORRELATED_H */
