/* SPDX-License-Identifier: PostgreSQL */
/*
 * repeat.c
 *	  The same cost, charged many times.
 */
#include "postgres.h"

#include <float.h>

#include "budget/rows/repeat.h"

/*
 * A number added to an amount n times, each sum rounded up: not less than what
 * that comes to.
 */
static double
add_repeatedly(double amount, double number, int64 n)
{
	return (amount + number * n) * (1 + (n + 3) * DBL_EPSILON);
}

DpCurve
dp_budget_spend_repeatedly(const DpCurve *spent, const DpCurve *cost, int64 n)
{
	DpCurve		total;

	for (int i = 0; i < DP_ORDERS; i++)
		total.rdp[i] = add_repeatedly(spent->rdp[i], cost->rdp[i], n);
	total.pure = add_repeatedly(spent->pure, cost->pure, n);
	total.delta = cost->delta > 0 ? add_repeatedly(spent->delta, cost->delta, n) : spent->delta;
	total.variance = add_repeatedly(spent->variance, cost->variance, n);
	total.coarseness = n > 0 ? Max(spent->coarseness, cost->coarseness) : spent->coarseness;
	return total;
}

int64
dp_budget_most_repeated(const DpLimit *limit, const DpCurve *spent, const DpCurve *cost)
{
	int64		low = 0;
	int64		high = DP_MAX_REPEATED + 1;

	while (high - low > 1)
	{
		int64		middle = low + (high - low) / 2;
		DpCurve		total = dp_budget_spend_repeatedly(spent, cost, middle);

		if (dp_accounting_admits(limit, &total))
			low = middle;
		else
			high = middle;
	}
	return low;
}
