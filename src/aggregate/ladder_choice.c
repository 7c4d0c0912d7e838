/* SPDX-License-Identifier: PostgreSQL */
/*
 * ladder_choice.c
 *	  Which clamp of a ladder to take, given noisy numbers of the units on its steps.
 *
 * A step is held if so many units are on it that noise hardly feigns them: the more the
 * higher it is above the last that is held, as to be wrong there costs noise by powers
 * of two.  Up to the last step that is held, the clamp taken is the one for which what
 * is cut and the noise are least together.  If that is the last, and steps are held by
 * ever fewer units, there is a long tail.  Then steps above are taken as well, as long
 * as the number of units that the tail lets expect there is worth the noise, and the
 * noisy number there is not too small for it.
 *
 * The constants are those that did best in simulations of tables with and without tails.
 */
#include <math.h>

#include "aggregate/ladder_choice.h"

/* Where a unit on a step is expected to be, in clamps of that step. */
#define MIDDLE 0.75

/* The slowest tail that is thought of: each step holds so much of what the one below holds. */
#define SLOWEST_TAIL 0.5

/* A step above is taken if it seems to hold so much of what the tail lets expect, */
#define TAIL_SEEN 0.3

/* and that is so many times the noise that comes with it, over the clamp. */
#define TAIL_WORTH 2.5

static double
positive(double units)
{
	return units > 0 ? units : 0;
}

int
dp_aggregate_ladder_held(const DpLadderRule *rule, const double *units)
{
	int			held = -1;

	for (int i = 0; i < rule->steps; i++)
		if (units[i] > (held < 0 ? rule->first[i] : rule->above[i - held]))
			held = i;
	return held;
}

/*
 * Error of the clamp of a step: what it cuts of those up to the last, and the
 * noise, in least clamps.
 */
static double
error_at(const DpLadderRule *rule, const double *units, int step, int last)
{
	double		error = rule->noise[step];

	for (int i = step + 1; i <= last; i++)
		error += positive(units[i]) * (ldexp(MIDDLE, i) - ldexp(1, step));
	return error;
}

/* How many units the next step is expected to have for each of this one: the fewer that the last two or three say. */
static double
tail(const double *units, int step)
{
	double		ratio = units[step - 1] > 0 ? units[step] / units[step - 1] : SLOWEST_TAIL;

	if (units[step - 2] > 0)
		ratio = fmin(ratio, sqrt(units[step] / units[step - 2]));
	return fmin(ratio, SLOWEST_TAIL);
}

/* The last step that a tail, of which this is the last one held, is worth. */
static int
extend(const DpLadderRule *rule, const double *units, int step)
{
	double		ratio;
	double		expected;

	if (step < 2 || units[step] <= 0)
		return step;
	ratio = tail(units, step);
	expected = ratio * units[step];
	while (step < rule->steps - 1 && units[step + 1] > TAIL_SEEN * expected &&
		   ldexp(expected, step) > TAIL_WORTH * (rule->noise[step + 1] - rule->noise[step]))
	{
		step++;
		expected *= ratio;
	}
	return step;
}

int
dp_aggregate_ladder_choose(const DpLadderRule *rule, const double *units)
{
	int			last = dp_aggregate_ladder_held(rule, units);
	int			best = 0;

	for (int i = 1; i <= last; i++)
		if (error_at(rule, units, i, last) < error_at(rule, units, best, last))
			best = i;
	return best == last ? extend(rule, units, last) : best;
}
