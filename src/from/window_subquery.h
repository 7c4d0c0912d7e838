/* SPDX-License-Identifier: PostgreSQL */
/*
 * window_subquery.h
 *	  Subqueries in FROM with window functions over rows of single units.
 */
#ifndef DP_FROM_WINDOW_SUBQUERY_H
#define DP_FROM_WINDOW_SUBQUERY_H

#include "postgres.h"

#include "from/contribution.h"
#include "tree/statement.h"

/* Is this a query that only computes window functions, as these come of splitting? */
extern bool dp_from_is_windowed(const Query *query);

/* Where the first of its functions stands in the statement, or -1. */
extern int	dp_from_window_location(const Query *query);

/*
 * Forget the columns of such a query, item `varno` of another's FROM, that this other
 * makes nothing of.
 */
extern void dp_from_drop_unread(Query *query, Query *outer, Index varno);

/*
 * Validate, in place, the columns of such a query, whose FROM was read, and have its rows
 * be in one order; set what it contributes as item `varno` of FROM.
 */
extern DpReason *dp_from_check_windowed(Query *query, Index varno, DpStatement *statement,
										int location, DpContribution *contribution);

#endif							/* DP_FROM_WINDOW_SUBQUERY_H */
