/* SPDX-License-Identifier: PostgreSQL */
/*
 * calibrate.h
 *	  From (epsilon, delta, contribution bounds) to the integers a release
 *	  draws noise with, and from those integers to what it costs and how
 *	  accurate it is.
 *
 * Plain C: no server header.
 *
 * A release adds integer noise to an integer total counted in grid units; one
 * grid unit is 2^grid of the value's own unit.  `groups` (L0) is the number of
 * groups one privacy unit may touch; in each it moves the total by at most
 * `sensitivity` grid units.  `parts` totals may be released together for one
 * epsilon (1, or 2 for a Gaussian average): each is calibrated for its share.
 *
 * The exponential mechanism draws an alternative with probability proportional to
 * exp(-score / scale).  One privacy unit moves each score, counted in grid units, by at
 * most `sensitivity`, some up and some down: its bounded range, and so its pure epsilon
 * per group, is 2 sensitivity / scale.  Counts that it moves up alone, each by at most
 * D, are drawn from alike if D/2 is taken from all of them: counted in halves (grid
 * -1), their sensitivity is D.  For such draws `groups` is their number.
 */
#ifndef DP_ACCOUNTING_CALIBRATE_H
#define DP_ACCOUNTING_CALIBRATE_H

#include <stdbool.h>

#include "accounting/curve.h"

typedef enum DpMechanism
{
	DP_LAPLACE,
	DP_GAUSSIAN,
	DP_EXPONENTIAL,				/* draws one of many alternatives: no noise is added */
	DP_PERMUTE_AND_FLIP,		/* `groups` draws, each of this sensitivity */
	DP_ABOVE_THRESHOLD			/* sensitivity: of a count and of the threshold */
} DpMechanism;

#define DP_MIN_EPSILON 1e-9
#define DP_MAX_EPSILON 1048576.0
#define DP_MAX_SENSITIVITY (UINT64_C(1) << 62)

typedef struct DpNoise
{
	DpMechanism mechanism;
	int			groups;			/* L0, >= 1 */
	int			grid;			/* k: one grid unit is 2^k of the value's unit */
	int			direction;		/* of noise that is shared (shared_noise.h): in which units move
								 * the total, 1 or -1; else 0 */
	uint64_t	sensitivity;	/* per group, in grid units, >= 1 */
	uint64_t	scale_num;		/* Laplace, exponential: scale = num/den grid units */
	uint64_t	scale_den;
	uint64_t	sigma;			/* Gaussian: in grid units */
	uint64_t	own;			/* of noise that is shared: sigma of what it has for itself, in
								 * 2^-own_bits of grid units; else 0 */
	int			own_bits;
	int			part;			/* so many 2^-own_bits of `sensitivity` are what stands for a unit
								 * in what it shares */
	int			across;			/* with all groups (1), rather than the totals of its row alone? */
	int			others;			/* and how many of its groups there are beyond `groups` then */
} DpNoise;

/* Statements are compared byte by byte (statement/revalidate.c): nothing in here may be of no field. */
_Static_assert(sizeof(DpNoise) == 8 * sizeof(int) + 5 * sizeof(uint64_t), "DpNoise has padding");

/* Most noises that one is charged as. */
#define DP_CHARGED_MOST 2

/*
 * The noises that one is charged as, of which it returns how many: itself; or where it is shared, what totals have for
 * themselves, in groups in which a unit counts, and in others (shared_noise.h).  None of these is shared.
 */
extern int	dp_accounting_charged(const DpNoise *noise, DpNoise *charged);

/*
 * The grid for a total that one unit moves by at most `bound` > 0 (in the
 * value's unit) per group.  Depends on public parameters only; 0 if
 * dp_accounting_calibrate would refuse them.
 *
 * If `integral` and the mechanism is Laplace, never finer than 1, so that
 * counts and integer sums stay integers, and coarser only where noise or bound
 * would reach 2^61 grid units.  Otherwise fine enough that rounding to the grid
 * is negligible: the noise scale is at least 2^40 and bound at least 2^8 grid
 * units.  In any case bound / 2^grid < 2^61, and for up to 10^6 groups and
 * delta >= 1e-300 there is noise for a sensitivity of ceil(bound / 2^grid).
 */
extern int	dp_accounting_grid(DpMechanism mechanism, double epsilon, double delta,
							   int groups, int parts, double bound, bool integral);

/*
 * Fill in the noise for a total of the given sensitivity on the given grid.
 * Laplace and selections: scale >= parts * groups * sensitivity / epsilon, and at most 1e-9
 * relative above, leaving headroom for charges to be rounded up within epsilon.
 * Exponential: twice that scale.  Gaussian: integer sigma for which `parts` such totals over `groups` groups
 * together are (epsilon, delta)-DP by the analytic formula for continuous
 * noise; above the least real one by less than 1 + 1e-12 sigma.
 *
 * Returns NULL, or what is wrong with the arguments (a static string: lower
 * case, no full stop): epsilon outside [DP_MIN_EPSILON, DP_MAX_EPSILON]; for
 * the Gaussian, delta outside (0, 0.5]; groups or parts below 1; sensitivity
 * outside [1, DP_MAX_SENSITIVITY]; more noise than the sampler can draw.
 */
extern const char *dp_accounting_calibrate(DpNoise *noise, DpMechanism mechanism,
										   double epsilon, double delta, int groups, int parts,
										   uint64_t sensitivity, int grid);

/*
 * Multiply the scale or sigma of noise by a positive factor, rounding up; the sampler's range is that
 * of dp_accounting_calibrate.  NULL, or what is wrong.
 */
extern const char *dp_accounting_rescale(DpNoise *noise, long double factor);

/*
 * cost += one total's release over all its groups, charged from its integers.
 * For a release in `parts`, add each.
 */
extern void dp_accounting_add_noise(DpCurve *cost, const DpNoise *noise);

/*
 * Standard deviation of the noise, in the value's unit.  For permute and flip, that of
 * exponential noise of this scale, which would choose the greatest count with the same
 * probabilities.  For above threshold, that of a count less the threshold.  NaN for the
 * exponential mechanism, which adds no noise.
 */
extern double dp_accounting_stddev(const DpNoise *noise);

/*
 * Standard deviation of Gumbel noise of the exponential mechanism's scale, which would
 * choose the greatest score with the same probabilities.
 */
extern double dp_accounting_gumbel_stddev(const DpNoise *noise);

/*
 * Least h with P[|noise| <= h] >= probability, in the value's unit, to within
 * one grid unit.
 */
extern double dp_accounting_half_width(const DpNoise *noise, double probability);

/*
 * Exponential: a score, in the value's unit, that the alternative drawn from
 * this many exceeds, above the least of them, with probability at most
 * 1 - probability; 0 <= probability < 1.
 */
extern double dp_accounting_choice_width(const DpNoise *noise, double alternatives,
										 double probability);

/*
 * Pure epsilon of one draw, or in one group, of a mechanism that draws, rounded up.
 * For the exponential mechanism this is its bounded range.
 */
extern double dp_accounting_draw_epsilon(const DpNoise *noise);

/*
 * Thresholding of private groups (partition selection). `noise` is that of a count of
 * units, each moving it by `sensitivity` grid units in at most `groups` groups.
 * Returns the least threshold, in grid units, with this property: the probability that
 * any of the groups of a unit which alone makes them exist is released is at most delta
 * (0 < delta < 1).  For Gaussian noise with sigma above 64 a bound is used that may
 * give one grid unit more.  A threshold never lies below sensitivity + 1.
 *
 * INT64_MAX means that there is none in range: nothing may then be released.
 */
extern int64_t dp_accounting_threshold(const DpNoise *noise, double delta);

/*
 * The least m >= 1, in grid units, which the sum of two such noises reaches with probability `tail`, 0 < tail
 * < 1, at most; where rounding leaves a doubt, a greater one.  Laplace noise alone.
 */
extern long double dp_accounting_pair_reach(const DpNoise *noise, long double tail);

/*
 * The same threshold for the sum of two totals, both with such noise, that a unit moves by at most
 * `sensitivity` together.  Laplace noise alone.
 */
extern int64_t dp_accounting_pair_threshold(const DpNoise *noise, double delta);

/*
 * The score of "none of these", in grid units, with which a selection among private
 * candidates, by permute and flip or the exponential mechanism in noise->groups draws,
 * differs from one among those that exist without a unit by at most delta (0 < delta < 1),
 * if that unit counts in `candidates` of them at most.  A whole number of rows, never
 * below what one unit can count; INT64_MAX if there is none in range.
 */
extern int64_t dp_accounting_none_score(const DpNoise *noise, int candidates, double delta);

/* cost += the delta of one thresholded release. */
extern void dp_accounting_add_delta(DpCurve *cost, double delta);

#endif							/* DP_ACCOUNTING_CALIBRATE_H */
