/* SPDX-License-Identifier: PostgreSQL */
/*
 * lowered_unit.h
 *	  Tables whose privacy unit is a column of citext, of which all spellings are one unit.
 */
#ifndef DP_FROM_LOWERED_UNIT_H
#define DP_FROM_LOWERED_UNIT_H

#include "postgres.h"

#include "utils/rel.h"

#include "from/contribution.h"
#include "tree/reason.h"
#include "tree/statement.h"

/*
 * Have each such table that a query has in FROM be a subquery by itself, which shows its columns, and its unit in lower
 * case behind them.  The query names that column wherever it has had lower() of the unit's.
 */
extern void dp_from_lower_units(Query *query);

/* Is this such a subquery? */
extern bool dp_from_lowers_unit(const Query *query);

/* Reason why a table is read whose unit would be told by its spelling: not in such a subquery; else NULL. */
extern DpReason *dp_from_check_unit_is_lowered(const Query *query, Relation relation, const DpPolicy *policy, int location);

/* Reason why such a table cannot be what something is read of that does not know subqueries; NULL if there is none. */
extern DpReason *dp_from_refuse_lowered(const DpContribution *contribution, int location);

/* Validate such a subquery, whose table is read: its rows are those of the unit in lower case. */
extern DpReason *dp_from_check_lowered(Query *query, Index varno, DpStatement *statement, int location,
									   DpContribution *contribution);

/* Reason why tables do not mean the same units: those of one are told in lower case, and those of another as they are. */
extern DpReason *dp_from_check_spellings(const DpContribution *contribution, int location);

#endif							/* DP_FROM_LOWERED_UNIT_H */
