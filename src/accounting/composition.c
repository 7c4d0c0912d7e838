/* SPDX-License-Identifier: PostgreSQL */
/*
 * composition.c
 *	  Composition theorems in terms of epsilon and delta.
 */
#include "accounting/composition.h"
#include "accounting/outward.h"

#define EULER 2.718281828459045235360287471352662498L

/* Sums over mechanisms, each rounded up. */
static long double
itself(double value)
{
	return value;
}

static long double
square(double epsilon)
{
	return dp_accounting_mul_up(epsilon, epsilon);
}

/* The greatest expected privacy loss of an epsilon-private mechanism. */
static long double
mean_loss(double epsilon)
{
	return epsilon * tanhl(epsilon / 2.0L) * (1 + DP_LOG_SLACK);
}

/* -log(1 - delta), infinite for delta = 1. */
static long double
hazard(double delta)
{
	return -log1pl(-(long double) delta) * (1 + DP_LOG_SLACK);
}

static long double
total(size_t count, const double *values, long double (*part) (double))
{
	long double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum = dp_accounting_sum_up(sum, part(values[i]));
	return sum;
}

/* sqrt(2 squares log_inverse), rounded up. */
static long double
deviation(long double squares, long double log_inverse)
{
	return sqrtl(2 * squares * log_inverse) * (1 + DP_LOG_SLACK);
}

/* Rounded up to doubles, delta at most 1. */
static DpGuarantee
guarantee(long double epsilon, long double delta)
{
	return (DpGuarantee) {
		dp_accounting_up(epsilon), dp_accounting_up(fminl(delta, 1))
	};
}

DpGuarantee
dp_accounting_basic_composition(size_t count, const double *epsilons, const double *deltas)
{
	return guarantee(total(count, epsilons, itself), total(count, deltas, itself));
}

/* sum of epsilon^2 / 2 + sqrt(2 log(1 / slack) sum of epsilon^2), slack + sum of delta. */
DpGuarantee
dp_accounting_advanced_composition(size_t count, const double *epsilons, const double *deltas,
								   double slack)
{
	long double squares = total(count, epsilons, square);

	return guarantee(dp_accounting_sum_up(squares / 2, deviation(squares, -logl(slack))),
					 dp_accounting_sum_up(total(count, deltas, itself), slack));
}

/*
 * With m = sum of epsilon tanh(epsilon / 2) and S = sum of epsilon^2 the least
 * of sum of epsilon, m + sqrt(2 S log(e + sqrt(S) / slack)) and
 * m + sqrt(2 S log(1 / slack)); delta is 1 - (1 - slack) times the product of
 * 1 - delta.
 */
DpGuarantee
dp_accounting_kov_bound(size_t count, const double *epsilons, const double *deltas, double slack)
{
	long double squares = total(count, epsilons, square);
	long double log_inverse = fminl(logl(EULER + sqrtl(squares) / slack), -logl(slack));
	long double advanced = dp_accounting_sum_up(total(count, epsilons, mean_loss),
												deviation(squares, log_inverse));
	long double hazards = dp_accounting_sum_up(total(count, deltas, hazard), hazard(slack));

	return guarantee(fminl(total(count, epsilons, itself), advanced),
					 -expm1l(-hazards) * (1 + DP_LOG_SLACK));
}

/* epsilon sqrt(2k log(1 / slack)) + k epsilon (exp(epsilon) - 1). */
double
dp_accounting_advanced_composition_drv(double epsilon, int k, double slack)
{
	long double mean = (long double) k * epsilon * expm1l(epsilon) * (1 + DP_LOG_SLACK);

	return dp_accounting_up(dp_accounting_sum_up(mean, deviation(k * square(epsilon), -logl(slack))));
}

/*
 * 1 - (1 - delta_total) / (1 - delta)^k, rounded down: the delta that is left
 * for k pure mechanisms; negative if there is none.
 */
static long double
delta_left(double delta, int k, double delta_total)
{
	long double spent = k * -log1pl(-(long double) delta);
	long double allowed = -log1pl(-(long double) delta_total);
	long double error = (spent + allowed) * DP_PRODUCT_SLACK;

	if (delta == 0)
		return delta_total;
	if (k == 1)
		return ((long double) delta_total - delta) / (1 - (long double) delta) *
			(1 - DP_PRODUCT_SLACK);
	return -expm1l(spent - allowed + error) * (1 - DP_LOG_SLACK);
}

/*
 * k mechanisms are no worse than k times randomised response that reveals
 * everything with probability delta.  k pure ones have privacy loss
 * L_l = (2l - k) epsilon with binomial probability p_l, l = 0 ... k, so
 *
 *	 delta(e) = sum over L_l > e of p_l (1 - exp(e - L_l)).
 *
 * From l = j to k let B = sum of p_l y^(l - j) with y = exp(-2 epsilon), and
 * D = delta(L_j).  Then delta(L_j - h) = D + (1 - exp(-h)) B for h up to
 * 2 epsilon, which gives D of the next l and, at the last one, the root h.
 *
 * p, B and D are relative to exp(log_scale), which keeps them in range; every
 * step errs by less than 2^-61 relative.
 */
double
dp_accounting_kov_optimal(double epsilon, double delta, int k, double delta_total)
{
	long double target = delta_left(delta, k, delta_total) * (1 - (k + 16) * 0x1p-60L);
	long double down = expl(-(long double) epsilon);
	long double step = -expm1l(-2 * (long double) epsilon);
	long double log_scale = -k * log1pl(down);
	long double p = 1;
	long double b = 1;
	long double d = 0;
	long double limit = expl(fminl(logl(fmaxl(target, 0)) - log_scale, 11000));
	int			l = k;

	if (target < 0)
		return INFINITY;
	for (; 2 * l > k && d + step * b <= limit; l--)
	{
		d += step * b;
		p *= (long double) l / (k - l + 1) * down;
		b = p + (1 - step) * b;
		if (b > 0x1p8000L)
		{
			p *= 0x1p-8000L;
			b *= 0x1p-8000L;
			d *= 0x1p-8000L;
			log_scale += 8000 * logl(2);
			limit = expl(fminl(logl(target) - log_scale, 11000));
		}
	}
	if (2 * l <= k)
		return 0;
	return fmax(dp_accounting_up((2 * l - k) * (long double) epsilon +
								 log1pl(-(limit - d) / b * (1 - DP_LOG_SLACK))), 0);
}

/*
 * (k epsilon, delta (1 + exp(epsilon) + ... + exp((k - 1) epsilon))): one unit
 * after the other.
 */
DpGuarantee
dp_accounting_group_privacy(double epsilon, double delta, int k)
{
	long double sum = dp_accounting_mul_up(epsilon, k);
	long double factor = epsilon > 0 ? expm1l(sum) / expm1l(epsilon) : k;

	if (k == 1 || delta == 0)
		return guarantee(sum, delta);
	if (sum > 11000)
		return guarantee(sum, 1);
	return guarantee(sum, delta * factor * (1 + DP_LOG_SLACK));
}
