/*
 * correlated.h
 *	  What ties a sub-select of an expression to the query around it.
 */
#ifndef DP_ASKING_CORRELATED_H
#define DP_ASKING_CORRELATED_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

/* A comparison of an expression of a sub-select with one of the query around it. */
typedef struct DpTie
{
	OpExpr	   *operator;		/* its form */
	bool		own_first;		/* does the sub-select's stand on the left? */
	Node	   *own;			/* in terms of the sub-select */
	Node	   *outer;			/* in terms of the query around it */
} DpTie;

/* A sub-select whose own conditions alone are left in it. */
typedef struct DpCorrelated
{
	Query	   *query;			/* a copy */
	List	   *keys;			/* of DpTie: equalities */
	DpTie	   *bound;			/* one other comparison, or NULL */
	Node	   *outside;		/* conditions on the query around it alone, in its terms, or NULL */
} DpCorrelated;

/*
 * Take what ties a sub-select out of its WHERE.  False if anything else in it names a column of
 * the `depth` queries around it.
 */
extern bool dp_query_take_ties(Query *subselect, int depth, DpCorrelated *correlated);

/* The comparison op(outer, own) as a tie, each in terms of its own query. */
extern DpTie *dp_query_make_tie(OpExpr *operator, Node *own, Node *outer, bool own_first);

/*
 * Is it an equality that joins can be made by, in which one value equals one group at most?  A moment
 * equals two local times in a gap of the session's zone.
 */
extern bool dp_query_is_equality(const OpExpr *operator);

/* The comparison with this in the sub-select's place. */
extern Node *dp_query_tie_with(const DpTie *tie, Node *own);

/*
 * The equalities that IN asks for, with these values of the sub-select's columns; NIL if it asks
 * for anything else.
 */
extern List *dp_query_ties_of_in(SubLink *sublink, List *values);

/* The values of what a query shows. */
extern List *dp_query_shown_values(const Query *query);

#endif							/* DP_ASKING_CORRELATED_H */
