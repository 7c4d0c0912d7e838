/*
 * block_cost.c
 *	  What releases of one block cost together.
 */
#include "accounting/block_cost.h"

#include "accounting/subsampling.h"

const char *const dp_accounting_mechanism_name[DP_MECHANISMS] = {
	[DP_LAPLACE] = "laplace",
	[DP_GAUSSIAN] = "gaussian",
	[DP_EXPONENTIAL] = "exponential",
	[DP_PERMUTE_AND_FLIP] = "permute_and_flip",
	[DP_ABOVE_THRESHOLD] = "above_threshold"
};

/*
 * The Laplace average releases two complementary totals: a unit that moves one
 * by x moves the other by width - x, so the pair costs what one of them costs
 * at full width.  Gaussian noise terms are charged each.
 */
int
dp_accounting_charged_terms(DpMechanism mechanism, int terms)
{
	return mechanism == DP_LAPLACE ? 1 : terms;
}

void
dp_accounting_add_release(DpCurve *cost, const DpNoise *noise, int terms)
{
	int			charged = dp_accounting_charged_terms(noise[0].mechanism, terms);

	for (int i = 0; i < charged; i++)
		dp_accounting_add_noise(cost, &noise[i]);
}

void
dp_accounting_complete_block(DpCurve *cost, double sample_rate, double threshold_delta)
{
	dp_accounting_amplify(cost, sample_rate);
	if (threshold_delta > 0)
		dp_accounting_add_delta(cost, threshold_delta);
}
