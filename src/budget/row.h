/*
 * row.h
 *	  Rows of the budget and ledger tables, as C structs and as columns.
 */
#ifndef DP_BUDGET_ROW_H
#define DP_BUDGET_ROW_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"
#include "datatype/timestamp.h"

#include "budget/client.h"

/* Columns of dp_agg.budget, from 0; somebody may have added more. */
enum
{
	DP_BUDGET_DATASET,
	DP_BUDGET_ROLE,
	DP_BUDGET_EPSILON_LIMIT,
	DP_BUDGET_DELTA_LIMIT,
	DP_BUDGET_DELTA_RDP,
	DP_BUDGET_DELTA_PARTITION,
	DP_BUDGET_ORDERS,
	DP_BUDGET_WEIGHTS,
	DP_BUDGET_RDP_SPENT,
	DP_BUDGET_PURE_SPENT,
	DP_BUDGET_DELTA_SPENT,
	DP_BUDGET_STATEMENTS,
	DP_BUDGET_REFUSALS,
	DP_BUDGET_LAST_CHARGE,
	DP_BUDGET_COLUMNS
};

/* Columns of dp_agg.ledger, from 0; somebody may have added more. */
enum
{
	DP_LEDGER_ID,
	DP_LEDGER_AT,
	DP_LEDGER_ROLE,
	DP_LEDGER_DATASET,
	DP_LEDGER_ADMITTED,
	DP_LEDGER_RELEASES,
	DP_LEDGER_CURVE,
	DP_LEDGER_PURE_EPSILON,
	DP_LEDGER_DELTA,
	DP_LEDGER_EPSILON_SPENT,
	DP_LEDGER_DELTA_SPENT,
	DP_LEDGER_COLUMNS
};

extern const Oid dp_budget_row_types[DP_BUDGET_COLUMNS];
extern const Oid dp_budget_ledger_types[DP_LEDGER_COLUMNS];

/* What a row of dp_agg.budget says about its role and data set. */
typedef struct DpBudgetRow
{
	DpBalance	balance;
	int64		statements;		/* admitted */
	int64		refusals;
	TimestampTz last_charge;	/* 0: none since the row was read */
} DpBudgetRow;

/* A row of dp_agg.ledger, but for its number. */
typedef struct DpLedgerRow
{
	TimestampTz at;
	Oid			role;
	const char *dataset;
	bool		admitted;
	const char *releases;		/* JSON */
	const DpCurve *cost;
	const DpBalance *after;
} DpLedgerRow;

/*
 * Is this a cost that can be charged?  Every component >= 0 and finite, but
 * for pure, which may be infinite.
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

/* Fill in a new row of dp_agg.ledger likewise; raises 22P02 if releases is not JSON. */
extern void dp_budget_row_encode_ledger(const DpLedgerRow *row, int64 id,
										Datum *values, bool *nulls);

/* Copy numbers into a new float8[]. */
extern Datum dp_budget_row_array(const double *numbers, int count);

#endif							/* DP_BUDGET_ROW_H */
