/* SPDX-License-Identifier: PostgreSQL */
/*
 * membership.c
 *	  What (epsilon, delta)-differential privacy leaves to somebody who guesses
 *	  whether a unit is in the data.
 *
 * Let P be the law of all answers if the unit is there, and Q if it is not.
 * The posterior is above q where P / Q is above some L, on a set B.  P(B) <=
 * exp(epsilon) Q(B) + delta and L Q(B) < P(B) give P(B) < delta / (1 -
 * exp(epsilon) / L), which is `risk` for L = exp(epsilon) / (1 - delta / risk).
 * A right guess is the complement of two errors, which lie in the region of
 * Kairouz, Oh, Viswanath 2015; its corners are the three cases of max_guess.
 */
#include "accounting/membership.h"
#include "accounting/outward.h"

/* exp(-x) for x beyond this has fewer bits than a long double has. */
#define GREATEST_EXPONENT 11000

/* exp(-epsilon), rounded down; exact where epsilon is 0. */
static long double
decay_down(double epsilon)
{
	if (epsilon == 0)
		return 1;
	return epsilon > GREATEST_EXPONENT ? 0 : expl(-(long double) epsilon) * (1 - DP_LOG_SLACK);
}

/* The greatest, rounded up, of prior, 1 - prior and exp(epsilon) / (1 + exp(epsilon)). */
static long double
best_guess(double prior, double epsilon)
{
	long double others = fmaxl(prior, dp_accounting_sum_up(1, -(long double) prior));
	long double sum = -dp_accounting_sum_up(-1, -decay_down(epsilon));

	return fmaxl(others, dp_accounting_div_up(1, sum));
}

double
dp_accounting_max_posterior(double prior, double epsilon, double delta, double risk)
{
	long double least;
	long double sum;

	if (prior == 0 || (epsilon == 0 && delta == 0))
		return prior;
	if (delta >= risk)
		return 1;
	least = (1 - (long double) prior) * (((long double) risk - delta) / risk) * (1 - DP_LOG_SLACK) *
		decay_down(epsilon);
	sum = -dp_accounting_sum_up(-(long double) prior, -least);
	return fmin(dp_accounting_up(dp_accounting_div_up(prior, sum)), 1);
}

double
dp_accounting_max_guess(double prior, double epsilon, double delta)
{
	long double best = best_guess(prior, epsilon);
	long double rest = dp_accounting_sum_up(1, -best);

	return fmin(dp_accounting_up(dp_accounting_sum_up(best, dp_accounting_mul_up(delta, rest))), 1);
}
