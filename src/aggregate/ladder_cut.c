/* SPDX-License-Identifier: PostgreSQL */
/*
 * ladder_cut.c
 *	  How much the clamp that was taken of a ladder may cut, as noisy numbers of units tell.
 *
 * Units of steps up to the last one that is held are counted, with noise, and are thought to be cut by as
 * much as those of their step can be.  Those above are hidden by noise: a unit might be there with the
 * greatest total of all, which nothing that is private may tell.  So tables are thought of in which
 * numbers of units fall from the last step held on: each step has half of the one below at most, and no
 * greater part of it than that has of its own.  Powers, lognormal and exponential laws are such.  A step
 * that can have less than one unit is empty.
 */
#include <math.h>

#include "aggregate/ladder_cut.h"

/* Where a hidden unit on a step is expected to be, in clamps of that step. */
#define MIDDLE 0.75

/* The slowest tail that is thought of: each step has so much of what the one below has. */
#define SLOWEST_TAIL 0.5

void
dp_aggregate_ladder_put_seen(const DpLadderSeen *seen, __int128 *totals)
{
	totals[0] = seen->step;
	totals[1] = seen->held;
	for (int i = 0; i < DP_LADDER_SEEN / 2; i++)
		totals[2 + i] = ((__int128) seen->units[2 * i] * ((__int128) 1 << 64)) + (uint64_t) seen->units[2 * i + 1];
	totals[4] = seen->above;
	totals[5] = (__int128) seen->cut;
	totals[6] = seen->beyond;
}

bool
dp_aggregate_ladder_get_seen(DpLadderSeen *seen, int steps, const __int128 *totals)
{
	if (totals[0] < 0 || totals[0] >= steps || totals[1] < -1 || totals[1] >= steps ||
		totals[4] != (int64_t) totals[4] || totals[6] != (int64_t) totals[6])
		return false;
	seen->step = (int) totals[0];
	seen->held = (int) totals[1];
	for (int i = 0; i < DP_LADDER_SEEN / 2; i++)
	{
		seen->units[2 * i] = (int64_t) (totals[2 + i] >> 64);
		seen->units[2 * i + 1] = (int64_t) (uint64_t) totals[2 + i];
	}
	seen->above = (int64_t) totals[4];
	seen->cut = (double) totals[5];
	seen->beyond = (int64_t) totals[6];
	return true;
}

bool
dp_aggregate_ladder_is_seen(const DpLadderSeen *seen, int steps)
{
	return seen->step >= 0 && seen->step < steps && seen->held >= -1 && seen->held < steps && isfinite(seen->cut);
}

/* The first step above the one held and the one taken. */
static int
above(const DpLadderSeen *seen)
{
	return (seen->held > seen->step ? seen->held : seen->step) + 1;
}

/* The noisy number of units on a step in units of 2^grid, within 2^62; 0 where there is no such step. */
static int64_t
units_on(const DpLadderRule *rule, const double *units, int step, int grid)
{
	if (step < 0 || step >= rule->steps)
		return 0;
	return (int64_t) fmax(fmin(ldexp(units[step], -grid), 0x1p62), -0x1p62);
}

/* Is noise so little that there is no unit on any step? */
static bool
all_empty(const DpLadderRule *rule, const double *units, double firm)
{
	for (int i = 0; i < rule->steps; i++)
		if (units[i] + 2 * firm >= 1)
			return false;
	return true;
}

void
dp_aggregate_ladder_see(DpLadderSeen *seen, const DpLadderRule *rule, const double *units, int step, double firm,
						int grid)
{
	*seen = (DpLadderSeen) {.step = step, .held = dp_aggregate_ladder_held(rule, units)};
	if (seen->held < 0 || units[seen->held] < firm)
		seen->held = all_empty(rule, units, firm) ? step : -1;
	if (seen->held < 0)
		return;
	for (int i = 0; i < DP_LADDER_SEEN; i++)
		seen->units[i] = units_on(rule, units, seen->held + 1 - DP_LADDER_SEEN + i, grid);
	seen->above = units_on(rule, units, above(seen), grid);
	for (int i = step + 1; i <= seen->held; i++)
		seen->cut += (double) units_on(rule, units, i, grid) * (ldexp(1, i) - ldexp(1, step));
}

/* Standard deviation of what is cut of steps up to the one held, over that of a number of units. */
static double
cut_deviation(const DpLadderSeen *seen)
{
	double		squares = 0;

	for (int i = seen->step + 1; i <= seen->held; i++)
		squares += pow(ldexp(1, i) - ldexp(1, seen->step), 2);
	return sqrt(squares);
}

/* The most or least units on a step so many below the one held, by a reach above or below 0; not below 0. */
static double
units_below(const DpLadderSeen *seen, const DpLadderReach *reach, int below, double moved)
{
	return fmax(ldexp((double) seen->units[DP_LADDER_SEEN - 1 - below], reach->grid) + moved, 0);
}

/*
 * What part of the units on a step from the one held on the next has at most: no more than the mean of what
 * steps below had, nor than that of what steps up to the first above have, which has so many at most.
 */
static double
slowest_fall(const DpLadderSeen *seen, const DpLadderReach *reach, double units_above)
{
	double		most = units_below(seen, reach, 0, reach->below);
	double		least = units_below(seen, reach, 0, -reach->below);
	double		part = SLOWEST_TAIL;

	if (least > 0)
		part = fmin(part, pow(units_above / least, 1.0 / (above(seen) - seen->held)));
	for (int i = 1; i < DP_LADDER_SEEN; i++)
	{
		least = units_below(seen, reach, i, -reach->below);
		if (least > 0)
			part = fmin(part, pow(most / least, 1.0 / i));
	}
	return part;
}

/* What is cut of units that noise hides. */
static double
hidden_cut(const DpLadderSeen *seen, int steps, const DpLadderReach *reach)
{
	double		units = fmax(ldexp((double) seen->above, reach->grid) + reach->above, 0);
	double		part = slowest_fall(seen, reach, units);
	double		cut = 0;

	units = fmin(units, units_below(seen, reach, 0, reach->below) * pow(part, above(seen) - seen->held));
	for (int i = above(seen); i < steps && units >= 1; i++)
	{
		cut += units * (ldexp(MIDDLE, i) - ldexp(1, seen->step));
		units *= part;
	}
	return cut;
}

double
dp_aggregate_ladder_most_cut(const DpLadderSeen *seen, int steps, const DpLadderReach *reach)
{
	double		cut;

	if (seen->step == steps - 1)
		return 0;
	if (seen->held < 0)
		return INFINITY;
	cut = fmax(ldexp(seen->cut, reach->grid), 0);
	if (seen->held > seen->step)
		cut += cut_deviation(seen) * reach->stddev * reach->deviations;
	return cut + hidden_cut(seen, steps, reach);
}
