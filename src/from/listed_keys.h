/* SPDX-License-Identifier: PostgreSQL */
/*
 * listed_keys.h
 *	  Group keys that public tables list.
 *
 *		SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.clinic GROUP BY c.name
 *
 * Which keys there are is read from the public tables alone, so it tells nothing
 * of protected rows: every key is answered, and no threshold is paid for.
 */
#ifndef DP_FROM_LISTED_KEYS_H
#define DP_FROM_LISTED_KEYS_H

#include "postgres.h"

#include "from/contribution.h"

/* Does an item of a query's FROM read protected rows, at any depth? */
extern bool dp_from_reads_protected(Query *query, Node *item);

/*
 * Have an outer join that keeps the rows of public tables, whether protected
 * ones match or not, return only those that match: the others hold no
 * protected row, and count nowhere.  The range table goes on calling it an outer
 * join.  False if it is any other join.
 */
extern bool dp_from_match_listed(Query *query, JoinExpr *join);

/* Tell what is above such joins of a query that they put no NULLs there. */
extern void dp_from_forget_nulls(Query *query);

/*
 * The side of such a join that has the public tables, and in *matched the other;
 * NULL if it is any other join.
 */
extern Node *dp_from_listing_side(Query *query, JoinExpr *join, Node **matched);

/*
 * Find the public tables in FROM that list the group keys, given what is joined, what
 * is left-joined to it and all conditions; see DpContribution.
 */
extern void dp_from_find_listing(Query *query, List *leaves, List *conditions, List *inner,
								 List *outer, DpContribution *contribution);

#endif							/* DP_FROM_LISTED_KEYS_H */
