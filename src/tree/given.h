/* SPDX-License-Identifier: PostgreSQL */
/*
 * given.h
 *	  What a pass over a query is given.
 *
 * A pass takes a query and returns a new one, or refuses: then it has changed nothing of what it
 * was given, so that whoever asked can go on with that.  Builds with assertions compare it with a copy.
 */
#ifndef DP_TREE_GIVEN_H
#define DP_TREE_GIVEN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* A query as it is given to a pass, to be compared. */
static inline Query *
dp_tree_given(const Query *query)
{
#ifdef USE_ASSERT_CHECKING
	return copyObject(unconstify(Query *, query));
#else
	return NULL;
#endif
}

/* It is as it was given to a pass that has refused, or returned a new one. */
static inline void
dp_tree_check_unchanged(const Query *query, const Query *given)
{
	Assert(equal(query, given));
}

#endif							/* DP_TREE_GIVEN_H */
