/* SPDX-License-Identifier: PostgreSQL */
/*
 * row.h
 *	  Rows of the budget table, as C structs and as columns.
 */
#ifndef DP_BUDGET_ROWS_ROW_H
#define DP_BUDGET_ROWS_ROW_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "utils/jsonb.h"

#include "accounting/filter.h"

/* Columns of dp_agg.budget, from 0; somebody may have added more. */
enum
{
	DP_BUDGET_DATASET,
	DP_BUDGET_ROLE,
	DP_BUDGET_EPSILON_LIMIT,
	DP_BUDGET_DELTA_LIMIT,
	DP_BUDGET_PARTITION_SHARE,
	DP_BUDGET_VARIANCE_SHARE,
	DP_BUDGET_RENYI_SHARE,
	DP_BUDGET_ORDERS,
	DP_BUDGET_WEIGHTS,
	DP_BUDGET_RDP_SPENT,
	DP_BUDGET_PURE_SPENT,
	DP_BUDGET_DELTA_SPENT,
	DP_BUDGET_VARIANCE_SPENT,
	DP_BUDGET_COARSENESS,
	DP_BUDGET_STATEMENTS,
	DP_BUDGET_REFUSALS,
	DP_BUDGET_LAST_CHARGE,
	DP_BUDGET_NUMBER,
	DP_BUDGET_ENTRIES,
	DP_BUDGET_REFRESH,
	DP_BUDGET_PERIOD_BEGAN,
	DP_BUDGET_HOME,
	DP_BUDGET_SYNCHRONOUS,
	DP_BUDGET_REPLAYS,
	DP_BUDGET_ALERT,
	DP_BUDGET_ALERTED_AT,
	DP_BUDGET_COLUMNS
};

extern const Oid dp_budget_row_types[DP_BUDGET_COLUMNS];

/* Longest home of a budget, in bytes with terminator. */
#define DP_HOME_MAX 96

/* A row of dp_agg.budget: a role's budget, or a data set's cap. */
typedef struct DpBudgetRow
{
	Oid			role;			/* InvalidOid: the cap of all roles together */
	char		dataset[NAMEDATALEN];
	int64		number;			/* of this budget, in the ledger */
	DpLimit		limit;
	DpCurve		spent;
	int64		statements;		/* admitted */
	int64		refusals;
	int64		entries;		/* about it in the ledger */
	int64		replays;		/* of answers it paid for */
	double		alert;			/* greatest threshold told of in this period, in percent; 0: none */
	TimestampTz alerted_at;		/* when, if one was */
	TimestampTz last_charge;	/* 0: none since the row was read */
	bool		refreshes;
	Interval	refresh;		/* length of a period, if it refreshes */
	TimestampTz period_began;
	char		home[DP_HOME_MAX];	/* see home.h; empty: not known */
	bool		synchronous;	/* its last charge waited for standbys */
} DpBudgetRow;

/*
 * Is this a cost that can be charged?  Every component >= 0 and finite, but
 * for pure and variance, which may be infinite.
 */
extern bool dp_budget_row_valid_cost(const DpCurve *cost);

/*
 * Understand a row of dp_agg.budget.  False if it makes no sense: numbers out
 * of range, arrays of the wrong shape, orders that are not on the grid,
 * weights or shares of delta that add up to more than there is.
 */
extern bool dp_budget_row_decode(const Datum *values, const bool *nulls, DpBudgetRow *row);

/* Overwrite the columns that charging changes, in the current memory context. */
extern void dp_budget_row_encode(const DpBudgetRow *row, Datum *values, bool *nulls);

/* Is this a length of time that leads on, whatever the calendar, and not out of it? */
extern bool dp_budget_row_is_period(const Interval *refresh);

/*
 * Has the row's period passed at this time?  Then nothing counts as spent, and
 * a new period begins with the next charge.  Never if it does not refresh.
 */
extern bool dp_budget_row_refresh_due(const DpBudgetRow *row, TimestampTz now);

/*
 * When does a period of this length end?  Days and months are those of UTC, so that
 * no setting moves the end.
 */
extern TimestampTz dp_budget_row_period_ends(TimestampTz began, const Interval *refresh);

/* Spend nothing, and tell of every threshold anew, from now on. */
extern void dp_budget_row_refresh(DpBudgetRow *row, TimestampTz now);

/*
 * How much of the row's limit is used, as a fraction: of epsilon, of which so much is spent,
 * or of the delta of private groups, whichever is more.  1 at most, but for a limit that was
 * lowered below what is spent; then it may be infinite.
 */
extern double dp_budget_row_use(const DpBudgetRow *row, double epsilon_spent);

/*
 * What makes the row's limit, but for epsilon and delta, as JSON: the ledger
 * keeps it whenever a limit is set.
 */
extern char *dp_budget_row_terms(const DpBudgetRow *row);

/* Do terms, as JSON, say that a budget refreshes?  Reads the length of a period, if so. */
extern bool dp_budget_row_terms_refresh(const Jsonb *terms, Interval *refresh);

/*
 * The row's counts as JSON: the ledger keeps them, as they were, when they go.
 */
extern char *dp_budget_row_counts(const DpBudgetRow *row);

/* Copy numbers into a new float8[]. */
extern Datum dp_budget_row_array(const double *numbers, int count);

/*
 * A cost, but for its pure epsilon and delta, as a float8[]: the curve, and behind it variance
 * and coarseness.  Read it back; false if it makes no sense.
 */
extern Datum dp_budget_row_curve(const DpCurve *cost);
extern bool dp_budget_row_read_curve(Datum value, DpCurve *cost);

/*
 * Which parts of a budget's delta are whose, as arguments of SQL functions.
 */

/* Which shares of delta were asked for. */
typedef struct DpGivenShares
{
	bool		partition;
	bool		variance;
	bool		rdp;
} DpGivenShares;

/*
 * Shares of delta from three arguments, of which those that are null have the rest: a tenth for
 * private groups, and the rules as much each.  Raises 22023 if they are no shares of one delta.
 */
extern DpShares dp_budget_shares_read(FunctionCallInfo fcinfo, int first, DpGivenShares *given);

#endif							/* DP_BUDGET_ROWS_ROW_H */
