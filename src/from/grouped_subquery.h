/* SPDX-License-Identifier: PostgreSQL */
/*
 * grouped_subquery.h
 *	  Subqueries in FROM that group rows by the privacy unit.
 */
#ifndef DP_FROM_GROUPED_SUBQUERY_H
#define DP_FROM_GROUPED_SUBQUERY_H

#include "postgres.h"

#include "from/contribution.h"
#include "tree/statement.h"

#define DP_IN_SUBSELECT "in a subquery over protected rows"

#define DP_UNIT_HINT \
	"Group by the privacy unit, or by the privacy unit and more, in the subquery; " \
	"dp_agg.protected_tables shows which column that is."

/*
 * Validate, in place, the columns of a query that only groups, whose FROM was read; set what
 * it contributes as item `varno` of FROM.  One of the keys is the unit, or is added behind what the query shows
 * where they name a record (key_closure.h).
 */
extern DpReason *dp_from_check_grouped(Query *query, Index varno, const DpStatement *statement,
									   int location, DpContribution *contribution);

/*
 * What such an aggregate of numeric adds up, without the limits that validation puts around it; the argument
 * itself of any other.
 */
extern Node *dp_from_without_limits(Node *arg);

/*
 * Validate an aggregate, in place, as one whose result depends on nothing but which rows it
 * is over, and which cannot fail.
 */
extern DpReason *dp_from_validate_aggregate(Query *query, Aggref *aggref, const DpStatement *statement);

#endif							/* DP_FROM_GROUPED_SUBQUERY_H */
