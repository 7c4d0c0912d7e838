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
 */
#ifndef DP_ACCOUNTING_CALIBRATE_H
#define DP_ACCOUNTING_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "curve.h"

typedef enum DpMechanism
{
	DP_LAPLACE,
	DP_GAUSSIAN
} DpMechanism;

#define DP_MIN_EPSILON 1e-9
#define DP_MAX_EPSILON 1048576.0
#define DP_MAX_SENSITIVITY (UINT64_C(1) << 62)

typedef struct DpNoise
{
	DpMechanism mechanism;
	int			groups;			/* L0, >= 1 */
	int			grid;			/* k: one grid unit is 2^k of the value's unit */
	uint64_t	sensitivity;	/* per group, in grid units, >= 1 */
	uint64_t	scale_num;		/* Laplace: scale = num/den grid units */
	uint64_t	scale_den;
	uint64_t	sigma;			/* Gaussian: in grid units */
} DpNoise;

/*
 * The grid for a total that one unit moves by at most `bound` > 0 (in the
 * value's unit) per group.  Depends on public parameters only.
 *
 * Fine enough that rounding to the grid is negligible against the noise
 * (noise scale >= 2^40 grid units); if `integral` and the mechanism is
 * Laplace, never finer than 1, so that counts and integer sums stay integers.
 * bound / 2^grid <= 2^61 for every admissible epsilon.
 */
extern int	dp_accounting_grid(DpMechanism mechanism, double epsilon, double delta,
							   int groups, int parts, double bound, bool integral);

/*
 * Fill in the noise for a total of the given sensitivity on the given grid.
 * Laplace: scale >= groups * sensitivity / epsilon, least such the sampler can
 * draw; Gaussian: the least integer sigma for which `parts` such totals over
 * `groups` groups together are (epsilon, delta)-DP by the analytic formula.
 *
 * Returns NULL, or what is wrong with the arguments (a static string: lower
 * case, no full stop): epsilon outside [DP_MIN_EPSILON, DP_MAX_EPSILON], or,
 * for the Gaussian, delta outside (0, 0.5], sigma too large.
 */
extern const char *dp_accounting_calibrate(DpNoise *noise, DpMechanism mechanism,
										   double epsilon, double delta, int groups, int parts,
										   uint64_t sensitivity, int grid);

/* cost += this release over all its groups, charged from its integers. */
extern void dp_accounting_add_noise(DpCurve *cost, const DpNoise *noise);

/* Standard deviation of the noise, in the value's unit. */
extern double dp_accounting_stddev(const DpNoise *noise);

/* Least h with P[|noise| <= h] >= probability, in the value's unit. */
extern double dp_accounting_half_width(const DpNoise *noise, double probability);

/*
 * Thresholding of private groups (partition selection).  `noise` is that of a
 * count of units, each moving it by `sensitivity` grid units in at most
 * `groups` groups.  Returns the least threshold, in grid units, such that the
 * probability that any of the groups of a unit which alone makes them exist
 * is released is at most delta (0 < delta < 1).
 */
extern int64_t dp_accounting_threshold(const DpNoise *noise, double delta);

/* cost += the delta of one thresholded release. */
extern void dp_accounting_add_delta(DpCurve *cost, double delta);

#endif							/* DP_ACCOUNTING_CALIBRATE_H */
