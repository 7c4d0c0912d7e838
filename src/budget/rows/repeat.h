/* SPDX-License-Identifier: PostgreSQL */
/*
 * repeat.h
 *	  The same cost, charged many times.
 */
#ifndef DP_BUDGET_ROWS_REPEAT_H
#define DP_BUDGET_ROWS_REPEAT_H

#include "postgres.h"

#include "accounting/filter.h"

/* More charges than this are as good as any number. */
#define DP_MAX_REPEATED (INT64CONST(1) << 40)

/*
 * What is spent after n charges of this cost more, one after the other: each of them is rounded up,
 * and what that can add is counted in.
 */
extern DpCurve dp_budget_spend_repeatedly(const DpCurve *spent, const DpCurve *cost, int64 n);

/* The largest number of them that a limit admits, up to DP_MAX_REPEATED. */
extern int64 dp_budget_most_repeated(const DpLimit *limit, const DpCurve *spent, const DpCurve *cost);

#endif							/* DP_BUDGET_ROWS_REPEAT_H */
