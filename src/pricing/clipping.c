/* SPDX-License-Identifier: PostgreSQL */
/*
 * clipping.c
 *	  Calibration of counts, sums and means whose clamp is chosen; see clipping.h.
 *
 * Everything here depends on the statement's text, the settings and the declared policy alone;
 * no data is read.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/calibrate.h"
#include "aggregate/estimate.h"
#include "pricing/clipping.h"
#include "pricing/kind.h"

static double clip_epsilon(DpMechanism mechanism, double epsilon);

/*
 * What of an epsilon the choice of a clamp has, and what the totals clamped there.
 */

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

/* Share of an epsilon that is shown for the choice. */
static double
clip_epsilon(DpMechanism mechanism, double epsilon)
{
	return mechanism == DP_GAUSSIAN ? epsilon * (1 - sqrt((CHOICE_PARTS - 1.0) / CHOICE_PARTS))
		: CHOICE_SHARE * epsilon;
}

/*
 * The number of units on a step, in all groups together, moves by at most 1 for each group that a
 * unit is in, and those of all steps by no more.
 */
const char *
dp_pricing_clip_calibrate_choice(DpNoise *choice, DpMechanism mechanism, double epsilon, double delta, int groups)
{
	bool		gaussian = mechanism == DP_GAUSSIAN;
	double		share = gaussian ? epsilon : CHOICE_SHARE * epsilon;
	int			parts = gaussian ? CHOICE_PARTS : 1;
	int			grid = dp_accounting_grid(mechanism, share, delta, 1, parts, groups, true);

	return dp_accounting_calibrate(choice, mechanism, share, delta, 1, parts,
								   (uint64) ceil(ldexp((double) groups, -grid)), grid);
}

const char *
dp_pricing_clip_calibrate_noise(DpNoise *noise, DpMechanism mechanism, double epsilon, double delta, int groups,
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

/* Clamps of sums go down to a row's bound divided by 2^6, if that is on the grid. */
#define STEPS_BELOW 6

/* Sums of numbers that are no integers are on a grid finer by so many bits, for the least clamps. */
#define FINER_BITS 8

/* The greatest clamp in grid units has at most so many bits. */
#define MOST_CLAMP_BITS 61

bool
dp_pricing_clips(const DpContribution *contribution)
{
	return contribution->most_rows > 0;
}

/* The least power of two that is not less than most_rows, as an exponent. */
static int
steps_of_rows(const DpContribution *contribution)
{
	int			steps = 0;

	while ((INT64CONST(1) << steps) < contribution->most_rows)
		steps++;
	return steps;
}

static DpReason *
reason_of(const char *problem, int location)
{
	if (problem == NULL)
		return NULL;
	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location, NULL, "%s", problem);
}

/* Calibrate the j-th noise, of a total that a unit moves by at most so many grid units. */
static DpReason *
calibrate(DpMeasure *measure, int j, const DpContribution *contribution, int parts, uint64 sensitivity, int grid)
{
	DpRelease  *release = &measure->release;

	release->nnoise = j + 1;
	return reason_of(dp_pricing_clip_calibrate_noise(&release->noise[j], contribution->pricing->mechanism, release->epsilon,
													 release->delta, contribution->max_groups, parts,
													 Max(sensitivity, 1), grid), measure->aggref->location);
}

/* A grid for noise of a clamp. */
static int
choose_grid(const DpRelease *release, const DpContribution *contribution, int parts, double clamp, bool integral)
{
	return dp_accounting_grid(contribution->pricing->mechanism, dp_pricing_noise_epsilon(release), release->delta,
							  contribution->max_groups, parts, clamp, integral);
}

/* Set the choice's share of epsilon apart. */
static DpReason *
take_share(DpMeasure *measure, const DpContribution *contribution)
{
	DpRelease  *release = &measure->release;

	release->choice_epsilon = clip_epsilon(contribution->pricing->mechanism, release->epsilon);
	if (release->choice_epsilon >= DP_MIN_EPSILON)
		return NULL;
	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location, "SET dp_agg.clipping = fixed.",
							 "epsilon is too small for a clamp to be chosen");
}

/* The ladder of a release, whose totals are on a grid, and the choice of one of its steps. */
static DpReason *
set_ladder(DpMeasure *measure, const DpContribution *contribution, const DpLadder *ladder, int grid)
{
	DpRelease  *release = &measure->release;

	release->ladder = *ladder;
	release->ladder_grid = grid;
	release->chosen = -1;
	return reason_of(dp_pricing_clip_calibrate_choice(&release->choice, contribution->pricing->mechanism, release->epsilon,
													  release->delta, contribution->max_groups),
					 measure->aggref->location);
}

/* A count on a grid, which a unit moves by `most` rows. */
static DpReason *
calibrate_rows(DpMeasure *measure, int j, const DpContribution *contribution, int parts, double most)
{
	int			grid = choose_grid(&measure->release, contribution, parts, most, true);

	return calibrate(measure, j, contribution, parts, (uint64) ceil(ldexp(most, -grid)), grid);
}

DpReason *
dp_pricing_clip_count(DpMeasure *measure, const DpContribution *contribution)
{
	DpLadder	ladder = {.first = 1, .steps = steps_of_rows(contribution) + 1, .kind = DP_LADDER_POSITIVE};
	DpReason   *reason = take_share(measure, contribution);

	measure->most_rows = 1 << (ladder.steps - 1);
	if (reason == NULL)
		reason = set_ladder(measure, contribution, &ladder, 0);
	return reason ? reason : calibrate_rows(measure, 0, contribution, 1, measure->most_rows);
}

/*
 * Put the bounds of a row on the grid on which values are added up.  A row's share of the greatest
 * clamp is `row`, in the value's unit, and that clamp has MOST_CLAMP_BITS bits at most.
 */
static DpReason *
set_spec(DpMeasure *measure, const DpContribution *contribution, int parts, double row, bool integral)
{
	DpExactSpec *spec = &measure->spec;
	double		most = ldexp(row > 0 ? row : 1, steps_of_rows(contribution));
	int			grid;

	if (!isfinite(ldexp(most, STEPS_BELOW)))
		return reason_of("bounds are too far apart", measure->aggref->location);
	grid = choose_grid(&measure->release, contribution, parts, most, integral) - (integral ? 0 : FINER_BITS);
	spec->grid = Max(grid, ilogb(most) + 1 - MOST_CLAMP_BITS);
	spec->lower = (int64) rint(ldexp(measure->lower, -spec->grid));
	spec->upper = (int64) rint(ldexp(measure->upper, -spec->grid));
	spec->lower_value = measure->lower;
	spec->upper_value = measure->upper;
	spec->max_rows = contribution->max_rows;
	return NULL;
}

/* The greatest clamp is most_rows rows', or a little more. */
DpReason *
dp_pricing_clip_sum(DpMeasure *measure, const DpContribution *contribution, bool integral)
{
	DpExactSpec *spec = &measure->spec;
	DpLadder	ladder = {.kind = measure->lower < 0 ? DP_LADDER_SIGNED : DP_LADDER_POSITIVE};
	int64		row;
	int			below;
	DpReason   *reason = take_share(measure, contribution);

	if (reason == NULL)
		reason = set_spec(measure, contribution, 1, Max(fabs(measure->lower), fabs(measure->upper)), integral);
	if (reason)
		return reason;
	row = Max(Max(llabs(spec->lower), llabs(spec->upper)), 1);
	below = Min(STEPS_BELOW, ilogb((double) row));
	ladder.first = (row + (INT64CONST(1) << below) - 1) >> below;
	ladder.steps = steps_of_rows(contribution) + below + 1;
	reason = set_ladder(measure, contribution, &ladder, spec->grid);
	return reason ? reason
		: calibrate(measure, 0, contribution, 1, (uint64) dp_aggregate_ladder_clamp(&ladder, ladder.steps - 1), spec->grid);
}

/* The two totals of a mean whose clamp is given (aggregate.c). */
DpReason *
dp_pricing_clip_avg(DpMeasure *measure, const DpContribution *contribution)
{
	DpRelease  *release = &measure->release;
	DpLadder	ladder = {.first = 1, .steps = steps_of_rows(contribution) + 1, .kind = DP_LADDER_MEAN};
	int			parts = contribution->pricing->mechanism == DP_GAUSSIAN ? 2 : 1;
	uint64		most = UINT64CONST(1) << (ladder.steps - 1);
	double		width = measure->upper - measure->lower;
	DpReason   *reason = take_share(measure, contribution);

	if (reason == NULL)
		reason = set_spec(measure, contribution, parts, Max(Max(fabs(measure->lower), fabs(measure->upper)), width),
						  false);
	if (reason == NULL)
		reason = set_ladder(measure, contribution, &ladder, 0);
	if (reason)
		return reason;
	release->width = measure->spec.upper - measure->spec.lower;
	reason = calibrate(measure, 0, contribution, parts, (uint64) release->width * most, measure->spec.grid + 1 - parts);
	if (reason || parts == 2)
		return reason ? reason : calibrate_rows(measure, 1, contribution, parts, (double) most);
	release->noise[1] = release->noise[0];
	release->nnoise = 2;
	return NULL;
}

DpNoise
dp_pricing_clip_noise(const DpRelease *release, int j, int step)
{
	DpNoise		noise = release->noise[j];

	noise.grid -= dp_pricing_clip_bits(release, step);
	return noise;
}

double
dp_pricing_clip_bound(const DpRelease *release, int step)
{
	return ldexp((double) release->ladder.first, release->ladder_grid + step);
}

/*
 * What is cut.
 */

/* Noise alone exceeds a number that is firm so often. */
#define FIRM_MISS 0.0125

/* How far noise takes a number one way, but for this probability. */
static double
one_way(const DpNoise *noise, double miss)
{
	return dp_accounting_half_width(noise, 1 - 2 * miss);
}

double
dp_pricing_clip_firm(const DpNoise *choice)
{
	return one_way(choice, FIRM_MISS);
}

/*
 * The sum over steps beyond the clamp up to the one held, if there are any, has half of what may miss; numbers
 * that tell how fast units fall have an eighth each.
 */
double
dp_pricing_clip_most_cut(const DpLadderSeen *seen, const DpNoise *choice, int steps, double miss)
{
	DpLadderReach reach = {
		.grid = choice->grid,
		.above = one_way(choice, seen->held > seen->step ? miss / 2 : 0.75 * miss),
		.below = one_way(choice, miss / 8),
		.deviations = dp_aggregate_estimate_reach(1 - miss, choice->mechanism == DP_GAUSSIAN),
		.stddev = dp_accounting_stddev(choice)
	};

	return dp_aggregate_ladder_most_cut(seen, steps, &reach);
}

double
dp_pricing_clip_most_beyond(int64 beyond, const DpNoise *noise, int terms, double miss)
{
	double		units = Max(ldexp((double) beyond, noise->grid), 0);

	if (terms <= 0)
		return 0;
	return units + sqrt((double) terms) * dp_accounting_stddev(noise) *
		dp_aggregate_estimate_reach(1 - 2 * miss, noise->mechanism == DP_GAUSSIAN);
}
