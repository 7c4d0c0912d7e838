/* SPDX-License-Identifier: PostgreSQL */
/*
 * united_subquery.h
 *	  UNION ALL of protected rows in FROM.
 */
#ifndef DP_FROM_UNITED_SUBQUERY_H
#define DP_FROM_UNITED_SUBQUERY_H

#include "postgres.h"

#include "from/contribution.h"
#include "tree/statement.h"

/*
 * Forget the columns of a UNION ALL, item `varno` of another query's FROM, that this other
 * makes nothing of and that are not the privacy unit.
 */
extern void dp_from_drop_unread_parts(Query *query, Query *outer, Index varno);

/* Reads the FROM of a part: dp_from_read_from(). */
typedef DpReason *(*DpReadFrom) (Query *query, DpStatement *statement, int location,
								 DpContribution *contribution);

/*
 * Read the parts of a UNION ALL, and validate their columns in place; set what its rows
 * contribute as item `varno` of FROM.  A column is the privacy unit in every part.
 */
extern DpReason *dp_from_read_united(DpReadFrom read_from, Query *query, Index varno,
									 DpStatement *statement, int location, DpContribution *contribution);

/*
 * Validate the columns of a query whose FROM has been read, in place, and return the numbers of
 * those that are the unit.
 */
extern Bitmapset *dp_from_validate_part(Query *part, DpStatement *statement,
										const DpContribution *contribution, DpReason **reason);

/* The columns with these numbers of a query that is item `varno` of FROM. */
extern List *dp_from_columns_of_item(const Query *query, Index varno, const Bitmapset *numbers);

/* The bounds of what a part contributes: a single row is in one group, and has one value. */
extern DpPolicy dp_from_bounds_of_part(const DpContribution *part);

/* Bounds of a unit in two parts together. */
extern int	dp_from_add_bounds(int a, int b);

/* The refusal of parts that do not show the unit in the same column. */
extern DpReason *dp_from_without_common_unit(int location);

#endif							/* DP_FROM_UNITED_SUBQUERY_H */
