/* SPDX-License-Identifier: PostgreSQL */
/*
 * ledger_cost.h
 *	  What a statement's releases cost, worked out anew from the ledger.
 */
#ifndef DP_BUDGET_ROWS_LEDGER_COST_H
#define DP_BUDGET_ROWS_LEDGER_COST_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "accounting/curve.h"

/*
 * The cost of a statement whose blocks the ledger describes so; see ledger_cost.c for
 * the form.  False if that makes no sense, or has a member that is not known: it might
 * stand for a cost.
 */
extern bool dp_budget_ledger_cost(const Jsonb *blocks, DpCurve *cost);

/*
 * Are two costs the same, but for the arithmetic of two machines, and the rounding of
 * this many additions?
 */
extern bool dp_budget_same_cost(const DpCurve *one, const DpCurve *other, int64 additions);

/* The same of one amount. */
extern bool dp_budget_same_amount(double one, double other, int64 additions);

#endif							/* DP_BUDGET_ROWS_LEDGER_COST_H */
