/*
 * full_join.h
 *	  FULL JOIN of protected rows, as a query of its own in FROM.
 */
#ifndef DP_FROM_FULL_JOIN_H
#define DP_FROM_FULL_JOIN_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "from/contribution.h"
#include "tree/reason.h"

/* Is this a query that a FULL JOIN has become? */
extern bool dp_query_is_full_join(const Query *query);

/* The value without casts of default_family.h, and without those of a whole number to a wider type. */
extern Node *dp_query_without_widening(Node *node);

/*
 * Forget the columns of an item of FROM, a FULL JOIN or one of its sides, that the query around
 * it makes nothing of.
 */
extern void dp_query_drop_unread_columns(Query *query, Query *outer, Index varno);

/*
 * Validate the columns of a query whose FROM has been read, in place; set what its rows contribute as item
 * `varno` of FROM.
 */
typedef DpReason *(*DpCheckColumns) (Query *query, Index varno, ParamListInfo params, int location,
									 DpContribution *contribution);

/* Those of a FULL JOIN, and of a side that is a sub-select. */
extern DpReason *dp_query_check_full_join(Query *query, Index varno, ParamListInfo params, int location,
										  DpContribution *contribution);
extern DpReason *dp_query_check_side(Query *query, Index varno, ParamListInfo params, int location,
									 DpContribution *contribution);

/*
 * Settle how much of a unit counts in a FULL JOIN, given its sides (of DpFromItem) and what they
 * would contribute to an inner join; and check that PostgreSQL can compute it.
 */
extern DpReason *dp_query_settle_full_join(Query *query, List *leaves, int location,
										   DpContribution *contribution);

#endif							/* DP_FROM_FULL_JOIN_H */
