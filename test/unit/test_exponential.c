/*
 * test_exponential.c
 *	  Calibration, charge and reach of the exponential mechanism.
 */
#include "accounting.h"

#include "accounting/calibrate.h"
#include "accounting/mechanisms.h"

#define ROUNDS 20000

/* A calibrated mechanism for an epsilon that is left as it is. */
static bool
any_mechanism(DpNoise *noise, double *epsilon)
{
	int			groups = bits64() % 2 ? 1 : (int) log_uniform_integer(1e6);

	*epsilon = fmin(fmax(log_uniform(1e-9, 0x1p20), DP_MIN_EPSILON), DP_MAX_EPSILON);
	return dp_accounting_calibrate(noise, DP_EXPONENTIAL, *epsilon, 0, groups, 1,
								   log_uniform_integer(0x1p40), -(int) (bits64() % 46)) == NULL;
}

static long double
exact_range(const DpNoise *noise)
{
	return 2 * (long double) noise->sensitivity * noise->scale_den / noise->scale_num;
}

/* The range over all groups is epsilon, or less by a billionth; charged outward. */
static void
test_charge(void)
{
	int			done = 0;
	int			above = 0;
	int			below = 0;
	int			inward = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		DpNoise		noise;
		DpCurve		cost = {.pure = 0};
		double		epsilon;

		if (!any_mechanism(&noise, &epsilon))
			continue;
		done++;
		dp_accounting_add_noise(&cost, &noise);
		above += cost.pure > epsilon;
		below += cost.pure < epsilon * (1 - 2e-9);
		inward += !outward(dp_accounting_draw_epsilon(&noise), exact_range(&noise)) ||
			!outward(cost.pure, noise.groups * exact_range(&noise));
		for (int j = 0; j < DP_ORDERS; j++)
		{
			double		rdp = dp_accounting_rdp_exponential(dp_accounting_order[j],
															dp_accounting_draw_epsilon(&noise));

			inward += !outward(cost.rdp[j], noise.groups * (long double) rdp);
			inward += rdp > dp_accounting_rdp_pure(dp_accounting_order[j], dp_accounting_draw_epsilon(&noise));
		}
	}
	ok(done > ROUNDS / 2, "%d mechanisms", done);
	ok(above == 0, "pure epsilon is never above what was asked");
	ok(below == 0, "nor below it by more than a billionth");
	ok(inward == 0, "charges are rounded outward from the curve of bounded range");
}

/* A Laplace mechanism of the same parameters has half the scale. */
static void
test_scale(void)
{
	DpNoise		exponential;
	DpNoise		laplace;

	dp_accounting_calibrate(&exponential, DP_EXPONENTIAL, 0.1, 0, 3, 1, 5, 0);
	dp_accounting_calibrate(&laplace, DP_LAPLACE, 0.1, 0, 3, 1, 5, 0);
	ok(fabsl(exact_range(&exponential) * 3 / 0.1L - 1) < 1e-9L, "range of 0.1 over 3 groups");
	ok(fabsl((long double) exponential.scale_num / exponential.scale_den * laplace.scale_den /
			 laplace.scale_num - 2) < 1e-9L, "twice the scale of Laplace noise");
	ok(isnan(dp_accounting_stddev(&exponential)), "no noise is added");
	ok(fabs(dp_accounting_gumbel_stddev(&exponential) - 300 * sqrt(acos(-1) * acos(-1) / 6)) < 1e-6,
	   "Gumbel noise of a scale of 300 has that deviation");
}

/* Of 1000 alternatives all but one score w: their weight is 999 exp(-w / scale). */
static void
test_width(void)
{
	DpNoise		noise;
	double		width;
	double		others;

	dp_accounting_calibrate(&noise, DP_EXPONENTIAL, 2, 0, 1, 1, 1, -1);
	width = dp_accounting_choice_width(&noise, 1000, 0.95);
	ok(fabs(width - 0.5 * log(1000 / 0.05)) < 1e-8, "half of ln 20000 for 1000 alternatives");
	others = 999 * exp(-width * 2);
	ok(others / (1 + others) <= 0.05, "which they exceed with at most 5 %%");
	ok(dp_accounting_choice_width(&noise, 1, 0) == 0, "one alternative is never off");
}

static void
test_refused(void)
{
	DpNoise		noise;

	ok(dp_accounting_calibrate(&noise, DP_EXPONENTIAL, 0, 0, 1, 1, 1, 0) != NULL &&
	   dp_accounting_calibrate(&noise, DP_EXPONENTIAL, NAN, 0, 1, 1, 1, 0) != NULL, "bad epsilon");
	ok(dp_accounting_calibrate(&noise, DP_EXPONENTIAL, 1, 0, 1, 1, 0, 0) != NULL &&
	   dp_accounting_calibrate(&noise, DP_EXPONENTIAL, 1, 0, 0, 1, 1, 0) != NULL, "bad sensitivity and groups");
	ok(dp_accounting_calibrate(&noise, DP_EXPONENTIAL, 1e-9, 0, 1000000, 1, UINT64_C(1) << 40, 0) != NULL,
	   "a scale the sampler cannot draw");
	ok(dp_accounting_calibrate(&noise, DP_EXPONENTIAL, 1, 0, 1, 1, 1, 0) == NULL, "no delta is needed");
}

int
main(void)
{
	test_charge();
	test_scale();
	test_width();
	test_refused();
	return done_testing();
}
