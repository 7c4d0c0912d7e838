/*
 * clipping.c
 *	  Calibration of counts and sums whose clamp is chosen; see clipping.h.
 *
 * Everything here depends on the statement's text, the settings and the declared policy alone;
 * no data is read.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/block_cost.h"
#include "query/block/clipping.h"
#include "settings.h"

/* The choice's share of epsilon: see doc/accuracy.md for what others would do. */
#define CHOICE_SHARE 0.15

/* How much less likely, as an exponent, a clamp is than half of it beyond which there is nobody. */
#define STEP_PENALTY 2

/* Scores are in units of 2^-20 units of privacy, or whole ones where noise is so large. */
#define SCORE_BITS 20

/* Clamps of sums go down to a row's bound divided by 2^8, if that is on the grid. */
#define STEPS_BELOW 8

/* Sums of numbers that are no integers are on a grid finer by so many bits, for the least clamps. */
#define FINER_BITS 8

/* The greatest clamp in grid units has at most so many bits. */
#define MOST_CLAMP_BITS 61

bool
dp_query_clips(const DpContribution *contribution)
{
	return contribution->most_rows > 0;
}

double
dp_query_noise_epsilon(const DpRelease *release)
{
	return dp_query_is_clipped(release) ? release->epsilon - release->choice_epsilon : release->epsilon;
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
	return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location, NULL, "%s", problem);
}

/* Calibrate the choice: a unit that comes adds 0 or 1 to the number beyond each clamp, in each of its groups. */
static const char *
calibrate_choice(DpNoise *choice, double epsilon, int groups)
{
	int			bits = groups / epsilon < (1 << SCORE_BITS) ? SCORE_BITS : 0;

	return dp_accounting_calibrate(choice, DP_PERMUTE_AND_FLIP, epsilon, 0, groups, 1,
								   UINT64CONST(1) << bits, -bits);
}

/* Calibrate the choice, and the noise of a total that a unit moves by at most so many grid units. */
static DpReason *
calibrate(DpRelease *release, const DpContribution *contribution, uint64 sensitivity, int grid, int location)
{
	DpReason   *reason = reason_of(calibrate_choice(&release->choice, release->choice_epsilon,
													contribution->max_groups), location);

	if (reason)
		return reason;
	release->nnoise = 1;
	return reason_of(dp_accounting_calibrate(&release->noise[0], dp_settings_mechanism,
											 dp_query_noise_epsilon(release), release->delta,
											 contribution->max_groups, 1, sensitivity, grid), location);
}

/* A grid for noise of a clamp. */
static int
choose_grid(const DpRelease *release, const DpContribution *contribution, double clamp, bool integral)
{
	return dp_accounting_grid(dp_settings_mechanism, dp_query_noise_epsilon(release), release->delta,
							  contribution->max_groups, 1, clamp, integral);
}

/* Begin a release whose clamp is chosen among those of a ladder. */
static void
begin(DpRelease *release, int64 first, int steps, bool is_signed, int grid)
{
	release->choice_epsilon = CHOICE_SHARE * release->epsilon;
	release->ladder = (DpLadder) {.first = first, .steps = steps, .is_signed = is_signed};
	release->ladder_grid = grid;
	release->chosen_least = release->chosen_most = -1;
}

DpReason *
dp_query_clip_count(DpMeasure *measure, const DpContribution *contribution)
{
	DpRelease  *release = &measure->release;
	int			steps = steps_of_rows(contribution) + 1;
	double		most = ldexp(1, steps - 1);
	int			grid;

	begin(release, 1, steps, false, 0);
	grid = choose_grid(release, contribution, most, true);
	measure->most_rows = 1 << (steps - 1);
	return calibrate(release, contribution, (uint64) Max(ceil(ldexp(most, -grid)), 1), grid,
					 measure->aggref->location);
}

/* The grid on which values are added up: the greatest clamp has MOST_CLAMP_BITS bits on it at most. */
static int
grid_of_sum(const DpRelease *release, const DpContribution *contribution, double most, bool integral)
{
	int			grid = choose_grid(release, contribution, most, integral);

	if (!integral)
		grid -= FINER_BITS;
	return Max(grid, ilogb(most) + 1 - MOST_CLAMP_BITS);
}

/*
 * The greatest clamp is most_rows rows' or a little more.  Each value counts within its bounds, so
 * that those are a row's.
 */
DpReason *
dp_query_clip_sum(DpMeasure *measure, const DpContribution *contribution, bool integral)
{
	DpRelease  *release = &measure->release;
	int			above = steps_of_rows(contribution);
	double		bound = Max(fabs(measure->lower), fabs(measure->upper));
	int			below;
	int			grid;
	int64		row;
	int64		first;

	if (bound == 0)
		bound = 1;
	if (!isfinite(ldexp(bound, above + STEPS_BELOW)))
		return reason_of("bounds are too far apart", measure->aggref->location);
	begin(release, 1, 1, false, 0);
	grid = grid_of_sum(release, contribution, ldexp(bound, above), integral);
	measure->spec.grid = grid;
	measure->spec.lower = (int64) rint(ldexp(measure->lower, -grid));
	measure->spec.upper = (int64) rint(ldexp(measure->upper, -grid));
	measure->spec.lower_value = measure->lower;
	measure->spec.upper_value = measure->upper;
	measure->spec.max_rows = contribution->max_rows;
	row = Max(Max(llabs(measure->spec.lower), llabs(measure->spec.upper)), 1);
	below = Min(STEPS_BELOW, ilogb((double) row));
	first = (row + (INT64CONST(1) << below) - 1) >> below;
	begin(release, first, above + below + 1, measure->lower < 0, grid);
	return calibrate(release, contribution, (uint64) dp_ladder_clamp(&release->ladder, above + below), grid,
					 measure->aggref->location);
}

int
dp_query_clip_shift(const DpRelease *release, int step)
{
	return release->ladder_grid - release->noise[0].grid + release->ladder.steps - 1 - step;
}

DpNoise
dp_query_clip_noise(const DpRelease *release, int step)
{
	DpNoise		noise = release->noise[0];

	noise.grid -= release->ladder.steps - 1 - step;
	return noise;
}

double
dp_query_clip_bound(const DpRelease *release, int step)
{
	return ldexp((double) release->ladder.first, release->ladder_grid + step);
}

int64
dp_query_clip_penalty(const DpRelease *release)
{
	const DpNoise *choice = &release->choice;

	return (int64) ceil(STEP_PENALTY * (double) choice->scale_num / choice->scale_den);
}

void
dp_query_clip_cost(const DpRelease *release, double sample_rate, DpCurve *cost)
{
	if (dp_query_is_clipped(release))
		dp_accounting_add_term(cost, &release->choice, sample_rate);
}

bool
dp_query_clip_scaled_cost(const DpRelease *release, double factor, double sample_rate, DpCurve *cost)
{
	DpNoise		choice;

	if (!dp_query_is_clipped(release))
		return true;
	if (calibrate_choice(&choice, release->choice_epsilon * factor, release->choice.groups) != NULL)
		return false;
	dp_accounting_add_term(cost, &choice, sample_rate);
	return true;
}
