/*
 * test_theorems_outward.c
 *	  Single operations rounded upward, against wider arithmetic.
 */
#include "theorems.h"

#include "accounting/outward.h"

#define ROUNDS 100000

/* Wide enough for exact products and sums of the integers below. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 Wide;
#else
typedef long double Wide;
#endif

/* A whole number of at most so many bits. */
static long double
whole(int bits)
{
	return bits64() >> (64 - bits);
}

/* Is value the least long double not below truth? */
static bool
least(long double value, Wide truth)
{
	return value >= truth && nextafterl(value, -INFINITY) < truth;
}

static void
test_operations(void)
{
	int			bad[3] = {0};

	for (int i = 0; i < ROUNDS; i++)
	{
		long double a = whole(60);
		long double b = whole(48) + 1;
		long double sign = i % 2 ? 1 : -1;
		long double small = ldexpl(whole(60), -40) * sign;
		long double quotient = dp_accounting_div_up(sign * a, b);

		bad[0] += !least(dp_accounting_mul_up(sign * a, b), (Wide) a * b * sign);
		bad[1] += (Wide) quotient * b < sign * a ||
			(Wide) nextafterl(quotient, -INFINITY) * b >= sign * a;
		bad[2] += !least(dp_accounting_sum_up(a, small), (Wide) a + small) ||
			!least(dp_accounting_sum_up(small, a), (Wide) a + small);
	}
	ok(bad[0] == 0, "products");
	ok(bad[1] == 0, "quotients");
	ok(bad[2] == 0, "sums");
}

static void
test_exact(void)
{
	ok(dp_accounting_mul_up(0.1L, 8) == 0.8L && dp_accounting_div_up(7, 2) == 3.5L &&
	   dp_accounting_sum_up(0.5L, 0.25L) == 0.75L, "what is exact stays so");
	ok(dp_accounting_sum_up(INFINITY, 1) == INFINITY && dp_accounting_sum_up(1, INFINITY) == INFINITY,
	   "an infinite sum");
}

static void
test_probability(void)
{
	ok(dp_accounting_probability_up(-INFINITY, 0) == DBL_TRUE_MIN &&
	   dp_accounting_probability_up(-1e9, 0) == DBL_TRUE_MIN, "no probability becomes 0");
	ok(dp_accounting_probability_up(0, 0) == 1 && dp_accounting_probability_up(1, 0) == 1 &&
	   dp_accounting_probability_up(-1e-3L, 1) == 1, "none is above 1");
	ok(bounds(dp_accounting_probability_up(-1, 0), expl(-1)) &&
	   dp_accounting_probability_up(-1, 1e-12L) >= (double) expl(-1 + 1e-12L), "errors raise it");
}

int
main(void)
{
	test_operations();
	test_exact();
	test_probability();
	return done_testing();
}
