/* SPDX-License-Identifier: PostgreSQL */
/*
 * spell_query.h
 *	  Queries as texts that are equal if and only if the queries mean the same, but for how
 *	  they are written.
 */
#ifndef DP_KEPT_SPELL_QUERY_H
#define DP_KEPT_SPELL_QUERY_H

#include "postgres.h"

#include "kept/spelling.h"

/* Properties of the last columns of a query, whatever their order. */
typedef struct DpReleased
{
	List	   *texts;			/* of StringInfo: for each of these columns */
	List	   *order;			/* is set to their places among these, from 0, in an order of
								 * their own */
} DpReleased;

/*
 * Append a query whose columns, groups and order are what it is asked for; released NULL: all
 * columns are in their place.
 */
extern void dp_kept_spell_query(DpSpelling *spelling, StringInfo text, const Query *query, DpReleased *released);

/*
 * FROM and WHERE as texts: what inner joins combine is one set of items, and one of
 * conditions.
 */

/* Collect the places in the range table of the items below a node of the join tree. */
extern void dp_kept_collect_places(Node *node, List **places);

/* The conditions that hold of every row of a join tree. */
extern List *dp_kept_conditions_of(Node *node);

/* Append a node of the join tree, by the numbers of its items. */
extern void dp_kept_spell_from(DpSpelling *spelling, const DpLevel *level, StringInfo text, Node *node);

#endif							/* DP_KEPT_SPELL_QUERY_H */
