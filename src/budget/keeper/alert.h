/* SPDX-License-Identifier: PostgreSQL */
/*
 * alert.h
 *	  Telling once that a budget's use has crossed a threshold.
 *
 * The row remembers the greatest threshold that was told of, in the same
 * transaction as the charge that crossed it: so none is told of twice in a
 * period, whoever charges, and none before it is durable.
 */
#ifndef DP_BUDGET_KEEPER_ALERT_H
#define DP_BUDGET_KEEPER_ALERT_H

#include "postgres.h"

#include "budget/rows/row.h"

/*
 * The greatest threshold of dp_agg.budget_alerts, in percent, that a row's use has come to, a
 * fraction rounded to a thousandth; 0 if it was told of already, or there is none.  The row takes
 * it up, and a line for the server log is put by.
 */
extern double dp_budget_alert_cross(DpBudgetRow *row, double use, bool refused, TimestampTz now);

/* Write the lines put by to the server log: what they are about is committed. */
extern void dp_budget_alert_log(void);

/* Forget them: what they are about was not, and is decided anew. */
extern void dp_budget_alert_forget(void);

#endif							/* DP_BUDGET_KEEPER_ALERT_H */
