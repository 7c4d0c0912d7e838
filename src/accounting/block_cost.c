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

/* The selection that is charged as randomised response of the same pure epsilon. */
static DpNoise
as_randomised_response(const DpNoise *noise)
{
	DpNoise		other = *noise;

	other.mechanism = DP_PERMUTE_AND_FLIP;
	if (noise->mechanism == DP_EXPONENTIAL)
		other.sensitivity *= 2; /* its epsilon is twice that over the scale */
	return other;
}

void
dp_accounting_add_term(DpCurve *cost, const DpNoise *noise, double sample_rate)
{
	DpNoise		other;

	if (sample_rate < 1 && (noise->mechanism == DP_EXPONENTIAL || noise->mechanism == DP_ABOVE_THRESHOLD))
	{
		other = as_randomised_response(noise);
		noise = &other;
	}
	dp_accounting_add_noise(cost, noise);
}

void
dp_accounting_add_release(DpCurve *cost, const DpNoise *noise, int terms, double sample_rate)
{
	int			charged = dp_accounting_charged_terms(noise[0].mechanism, terms);

	for (int i = 0; i < charged; i++)
		dp_accounting_add_term(cost, &noise[i], sample_rate);
}

void
dp_accounting_complete_block(DpCurve *cost, double sample_rate, double threshold_delta)
{
	dp_accounting_amplify(cost, sample_rate);
	if (threshold_delta > 0)
		dp_accounting_add_delta(cost, threshold_delta);
}
