/*
 * test_curve.c
 *	  Renyi curves: reference values, identities on spread-out arguments,
 *	  outward rounding.
 */
#include "accounting.h"

#include "accounting/curve.h"

#define ROUNDS 20000

/* Wide enough for exact products of the integers below. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 Wide;
#else
typedef long double Wide;
#endif

static void
test_order(void)
{
	bool		ascending = true;
	bool		whole = true;
	bool		fine = true;

	for (int i = 0; i < DP_ORDERS; i++)
	{
		double		order = dp_accounting_order[i];

		if (i > 0)
			ascending &= order > dp_accounting_order[i - 1];
		if (order >= 6)
			whole &= order == floor(order);
		if (order > 2 && order <= 600)
			fine &= order - 1 <= 1.21 * (dp_accounting_order[i - 1] - 1);
	}
	ok(dp_accounting_order[0] == 1.1 && dp_accounting_order[DP_ORDERS - 1] == 4096,
	   "orders run from 1.1 to 4096");
	ok(ascending, "orders ascend");
	ok(whole, "orders from 6 on are whole numbers");
	ok(fine, "orders between 2 and 600 are at most a factor 1.21 apart");
}

static void
test_reference(void)
{
	int			bad = 0;

	for (int i = 0; i < LENGTH(laplace_curve); i++)
		bad += !outward(dp_accounting_rdp_discrete_laplace(laplace_curve[i].alpha,
														   laplace_curve[i].num,
														   laplace_curve[i].den,
														   laplace_curve[i].sensitivity),
						laplace_curve[i].value);
	ok(bad == 0, "discrete Laplace curve is outward of %d reference values",
	   LENGTH(laplace_curve));

	bad = 0;
	for (int i = 0; i < LENGTH(pure_curve); i++)
		bad += !outward(dp_accounting_rdp_pure(pure_curve[i].alpha, pure_curve[i].epsilon),
						pure_curve[i].value);
	ok(bad == 0, "randomised response curve is outward of %d reference values",
	   LENGTH(pure_curve));

	bad = 0;
	for (int i = 0; i < LENGTH(between_curve); i++)
		bad += !outward(dp_accounting_rdp_between(between_curve[i].alpha, between_curve[i].up,
												  between_curve[i].down),
						between_curve[i].value);
	ok(bad == 0, "the curve of two ends is outward of %d reference values", LENGTH(between_curve));
}

/* The closed form of randomised response. */
static long double
randomised_response(long double a, long double e)
{
	if ((2 * a - 1) * e > 30)
		return e + (log1pl(expl(-(2 * a - 1) * e)) - log1pl(expl(-e))) / (a - 1);
	return log1pl(2 * sinhl(a * e / 2) * sinhl((a - 1) * e / 2) / coshl(e / 2)) / (a - 1);
}

static void
test_randomised_response(void)
{
	int			bad_pure = 0;
	int			bad_laplace = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		double		a = dp_accounting_order[bits64() % DP_ORDERS];
		double		e = log_uniform(1e-12, 1e6);
		uint64_t	num = log_uniform_integer(0x1p62);
		uint64_t	den = log_uniform_integer(0x1p32);

		bad_pure += !outward(dp_accounting_rdp_pure(a, e), randomised_response(a, e));
		bad_laplace += !outward(dp_accounting_rdp_discrete_laplace(a, num, den, 1),
								randomised_response(a, (long double) den / num));
	}
	ok(bad_pure == 0, "pure curve agrees with its closed form on %d arguments", ROUNDS);
	ok(bad_laplace == 0, "a shift by one costs what randomised response does");
}

/* log sum_z P(z)^a P(z - shift)^(1 - a), term by term, over exp((a - 1) s shift). */
static long double
laplace_by_terms(long double a, long double s, int shift)
{
	long double q = expl(-s);
	long double sum = (1 + expl(-(2 * a - 1) * s * shift)) / -expm1l(-s);

	for (int z = 1; z < shift; z++)
		sum += expl(-(2 * a - 1) * s * z);
	return s * shift + logl(sum * -expm1l(-s) / (1 + q)) / (a - 1);
}

static void
test_terms(void)
{
	int			bad = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		double		a = dp_accounting_order[bits64() % DP_ORDERS];
		uint64_t	num = log_uniform_integer(1e6);
		int			shift = log_uniform_integer(300);
		uint64_t	den = ceil(num * log_uniform(0.02, 100) / (shift * fmin(a - 1, 1)));
		double		value = dp_accounting_rdp_discrete_laplace(a, num, den, shift);

		bad += !near(value, laplace_by_terms(a, (long double) den / num, shift), 1e-12L);
	}
	ok(bad == 0, "discrete Laplace curve agrees with its sum of terms on %d arguments", ROUNDS);
}

static void
test_monotone(void)
{
	int			sensitivity = 0;
	int			order = 0;
	int			scale = 0;
	int			bounds = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		int			j = bits64() % (DP_ORDERS - 1);
		double		a = dp_accounting_order[j];
		uint64_t	num = log_uniform_integer(0x1p61);
		uint64_t	den = log_uniform_integer(0x1p32);
		uint64_t	d = log_uniform_integer(0x1p61);
		double		value = dp_accounting_rdp_discrete_laplace(a, num, den, d);
		double		x = (double) den / num * d;

		sensitivity += dp_accounting_rdp_discrete_laplace(a, num, den, 2 * d) < 2 * value * (1 - 1e-12);
		order += dp_accounting_rdp_discrete_laplace(dp_accounting_order[j + 1], num, den, d) <
			value * (1 - 1e-12);
		scale += dp_accounting_rdp_discrete_laplace(a, 2 * num, den, d) > value;
		bounds += value > x * (1 + 1e-12) ||
			value > dp_accounting_rdp_pure(a, x) * (1 + 1e-12) ||
			value > a * x * x / 2 * (1 + 1e-12);
	}
	ok(sensitivity == 0, "twice the sensitivity costs at least twice as much");
	ok(order == 0, "the curve grows with the order");
	ok(scale == 0, "twice the scale costs no more");
	ok(bounds == 0, "the curve stays below pure epsilon, randomised response and a s^2 D^2 / 2");
}

static void
test_gaussian(void)
{
	int			bad = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		int			alpha = log_uniform_integer(4096) + 1;
		uint64_t	sigma = log_uniform_integer(0x1p20);
		uint64_t	d = log_uniform_integer(0x1p20);
		double		value = dp_accounting_rdp_discrete_gaussian(alpha, sigma, d);
		Wide		product = (Wide) value * 2 * sigma * sigma;
		Wide		truth = (Wide) alpha * d * d;

		bad += product < truth || product > truth * (Wide) (1 + 1e-12L);
	}
	ok(bad == 0, "discrete Gaussian curve is outward on %d arguments", ROUNDS);
	ok(outward(dp_accounting_rdp_discrete_gaussian(4096, 1, UINT64_C(1) << 62), 0x1p135L) &&
	   outward(dp_accounting_rdp_discrete_gaussian(2, UINT64_C(1) << 55, 1), 0x1p-110L),
	   "discrete Gaussian curve spans all sensitivities and sigmas");
}

static void
test_edges(void)
{
	ok(dp_accounting_rdp_pure(2, 0) == 0, "epsilon 0 costs nothing");
	ok(isinf(dp_accounting_rdp_pure(2, INFINITY)) && isinf(dp_accounting_rdp_pure(2, -1)) &&
	   isinf(dp_accounting_rdp_pure(2, NAN)),
	   "what is no epsilon costs everything");
}

/* A double with 40 bits between 0 and 1024: sums of two are exact in long double. */
static double
coarse(void)
{
	return ldexp((double) (bits64() >> 24), -(int) (30 + bits64() % 11));
}

static void
test_compose(void)
{
	DpCurve		total = {.pure = INFINITY, .delta = 1};
	DpCurve		cost = {.pure = 0.5, .delta = 0x1p-80};
	int			below = 0;
	int			loose = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		double		a = coarse();
		double		b = coarse() * 0x1p-14;
		DpCurve		sum = {.pure = a};

		dp_accounting_compose(&sum, &(DpCurve) {.pure = b});
		below += (long double) sum.pure < (long double) a + b;
		loose += (long double) nextafter(sum.pure, 0) >= (long double) a + b;
	}
	ok(below == 0, "a sum is never rounded down");
	ok(loose == 0, "a sum is the least double not below, exact where possible");

	for (int i = 0; i < DP_ORDERS; i++)
	{
		total.rdp[i] = i;
		cost.rdp[i] = 0.25;
	}
	dp_accounting_compose(&total, &cost);
	ok(isinf(total.pure), "infinite pure epsilon stays infinite");
	ok(total.delta == nextafter(1, 2), "the least delta is not lost");
	below = 0;
	for (int i = 0; i < DP_ORDERS; i++)
		below += total.rdp[i] != i + 0.25;
	ok(below == 0, "every order is added");
}

int
main(void)
{
	test_order();
	test_reference();
	test_randomised_response();
	test_terms();
	test_monotone();
	test_gaussian();
	test_edges();
	test_compose();
	return done_testing();
}
