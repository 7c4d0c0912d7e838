/*
 * clip_noise.c
 *	  What of an epsilon the choice of a clamp has, and what the totals clamped there.
 */
#include "postgres.h"

#include <math.h>

#include "pricing/clip_noise.h"

/*
 * The choice's share of epsilon where noise is Laplace; and of the squares of what is divided by
 * standard deviations where it is Gaussian.
 */
#define CHOICE_SHARE 0.2
#define CHOICE_PARTS 4

/* The factor on the standard deviation of Gaussian noise that leaves it all but one of these parts, rounded up. */
#define PARTED_SIGMA 1.1547005383792517L

/* The greatest standard deviation that is drawn, in grid units. */
#define MOST_SIGMA 0x1p55L

double
dp_query_clip_epsilon(DpMechanism mechanism, double epsilon)
{
	return mechanism == DP_GAUSSIAN ? epsilon * (1 - sqrt((CHOICE_PARTS - 1.0) / CHOICE_PARTS))
		: CHOICE_SHARE * epsilon;
}

/*
 * The number of units on a step, in all groups together, moves by at most 1 for each group that a
 * unit is in, and those of all steps by no more.
 */
const char *
dp_query_clip_calibrate_choice(DpNoise *choice, DpMechanism mechanism, double epsilon, double delta, int groups)
{
	bool		gaussian = mechanism == DP_GAUSSIAN;
	double		share = gaussian ? epsilon : CHOICE_SHARE * epsilon;
	int			parts = gaussian ? CHOICE_PARTS : 1;
	int			grid = dp_accounting_grid(mechanism, share, delta, 1, parts, groups, true);

	return dp_accounting_calibrate(choice, mechanism, share, delta, 1, parts,
								   (uint64) ceil(ldexp((double) groups, -grid)), grid);
}

const char *
dp_query_clip_calibrate_noise(DpNoise *noise, DpMechanism mechanism, double epsilon, double delta, int groups,
							  int parts, uint64 sensitivity, int grid)
{
	long double sigma;
	const char *problem;

	if (mechanism != DP_GAUSSIAN)
		return dp_accounting_calibrate(noise, mechanism, (1 - CHOICE_SHARE) * epsilon, delta, groups, parts,
									   sensitivity, grid);
	problem = dp_accounting_calibrate(noise, mechanism, epsilon, delta, groups, parts, sensitivity, grid);
	if (problem)
		return problem;
	sigma = ceill(noise->sigma * PARTED_SIGMA);
	if (sigma > MOST_SIGMA)
		return "noise scale is too large";
	noise->sigma = (uint64) sigma;
	return NULL;
}
