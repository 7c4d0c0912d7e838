/* SPDX-License-Identifier: PostgreSQL */
/*
 * calibrate.c
 *	  From (epsilon, delta, contribution bounds) to the integers a release
 *	  draws noise with, and from those integers to what it costs.
 *
 * Calibration is a convention between the analyst and the noise: what the
 * budget enforces is the charge, and that is computed from the integers alone.
 * For Gaussian noise the convention is the analytic formula of the continuous
 * distribution; the discrete Gaussian's own delta at the same epsilon differs
 * from it slightly, its Renyi charge holds exactly.
 */
#include <stddef.h>

#include "accounting/calibrate.h"
#include "accounting/gaussian.h"
#include "accounting/mechanisms.h"
#include "accounting/rounding.h"
#include "accounting/variance.h"

#define MAX_SIGMA 0x1p55L		/* what the sampler draws */
#define MAX_SCALE_NUM_BITS 62
#define MAX_SCALE_DEN_BITS 32

/*
 * Laplace scales exceed groups * sensitivity / epsilon by this much relative,
 * so that the sum of charges, rounded up at each addition, stays within their
 * nominal sum for thousands of them: ten releases at epsilon 0.1 fit a budget
 * of epsilon 1.
 */
#define SCALE_HEADROOM 0x1p-40L

/* The binary magnitude of the noise, in grid units, on a grid of our choice. */
#define NOISE_BITS 40
#define INTEGRAL_NOISE_BITS 60

/* At least this many bits of a unit's own contribution survive on the grid. */
#define BOUND_BITS 8

/* How many costs a process keeps. */
#define KEPT_COSTS 64

/* Error in the parameters of a release, or NULL. */
static const char *
check_parameters(DpMechanism mechanism, double epsilon, double delta, int groups, int parts)
{
	if (!(epsilon >= DP_MIN_EPSILON && epsilon <= DP_MAX_EPSILON))
		return "epsilon must be between 1e-9 and 1048576";
	if (mechanism == DP_GAUSSIAN && !(delta > 0 && delta <= 0.5))
		return "delta must be greater than 0 and at most 0.5 for Gaussian noise";
	if (groups < 1 || parts < 1)
		return "numbers of groups and parts must be at least 1";
	return NULL;
}

/*
 * Noise scale (Laplace scale or sigma) per unit of sensitivity, rounded up:
 * the L1 sensitivity of `parts` totals over `groups` groups divided by epsilon
 * (twice that where scores may move both ways), or their L2 sensitivity times the analytic ratio.
 */
static long double
noise_ratio(DpMechanism mechanism, double epsilon, double delta, int groups, int parts)
{
	long double totals = (long double) groups * parts;

	if (mechanism == DP_EXPONENTIAL)
		totals *= 2;
	if (mechanism != DP_GAUSSIAN)
		return totals / epsilon * (1 + SCALE_HEADROOM);
	return sqrtl(totals) * dp_accounting_gaussian_ratio(epsilon, delta) * (1 + DP_PRODUCT_SLACK);
}

/* floor(log2 x) for x > 0. */
static int
floor_log2(long double x)
{
	return ilogbl(x);
}

static int
min_int(int a, int b)
{
	return a < b ? a : b;
}

static int
max_int(int a, int b)
{
	return a > b ? a : b;
}

/*
 * The grid for a total that one unit moves by at most `bound`; 0 for arguments
 * that dp_accounting_calibrate refuses.
 *
 * Integral totals under Laplace noise stay on whole numbers unless bound or
 * scale would outgrow the sampler's range; elsewhere the noise is 2^40 grid
 * units or more.
 */
int
dp_accounting_grid(DpMechanism mechanism, double epsilon, double delta,
				   int groups, int parts, double bound, bool integral)
{
	long double noise;

	if (check_parameters(mechanism, epsilon, delta, groups, parts) != NULL ||
		!(bound > 0 && bound < INFINITY))
		return 0;

	noise = bound * noise_ratio(mechanism, epsilon, delta, groups, parts);
	if (integral && mechanism != DP_GAUSSIAN)
		return max_int(0, max_int(floor_log2(noise), floor_log2(bound)) - INTEGRAL_NOISE_BITS);
	return min_int(floor_log2(noise) - NOISE_BITS, floor_log2(bound) - BOUND_BITS);
}

/*
 * Write a scale >= 1 as num / 2^bits, a smaller one with the greatest numerator
 * whose denominator fits; not below it, and above by less than 1e-9 relative.
 * False if the sampler cannot draw it.
 */
static bool
set_scale(DpNoise *noise, long double scale)
{
	int			magnitude = floor_log2(scale);
	int			bits = min_int(MAX_SCALE_DEN_BITS, MAX_SCALE_NUM_BITS - 1 - magnitude);

	if (bits < 0)
		return false;
	if (magnitude >= 0)
	{
		noise->scale_num = (uint64_t) ceill(ldexpl(scale, bits));
		noise->scale_den = UINT64_C(1) << bits;
	}
	else
	{
		noise->scale_num = (uint64_t) floorl(ldexpl(scale, MAX_SCALE_DEN_BITS));
		noise->scale_den = (uint64_t) floorl(noise->scale_num / scale);
	}
	return true;
}

/*
 * Fill in the noise for a total of the given sensitivity; NULL, or what is
 * wrong with the arguments.
 */
const char *
dp_accounting_calibrate(DpNoise *noise, DpMechanism mechanism,
						double epsilon, double delta, int groups, int parts,
						uint64_t sensitivity, int grid)
{
	const char *wrong = check_parameters(mechanism, epsilon, delta, groups, parts);
	long double scale;

	if (wrong != NULL)
		return wrong;
	if (sensitivity < 1 || sensitivity > DP_MAX_SENSITIVITY)
		return "sensitivity is out of range";

	*noise = (DpNoise) {
		.mechanism = mechanism, .groups = groups, .grid = grid, .sensitivity = sensitivity
	};
	scale = noise_ratio(mechanism, epsilon, delta, groups, parts) * sensitivity;
	if (mechanism != DP_GAUSSIAN)
		return set_scale(noise, scale) ? NULL : "noise scale is too large";
	scale = ceill(scale * (1 + DP_PRODUCT_SLACK));
	if (scale > MAX_SIGMA)
		return "noise scale is too large";
	noise->sigma = (uint64_t) scale;
	return NULL;
}

const char *
dp_accounting_rescale(DpNoise *noise, long double factor)
{
	long double scale;

	if (noise->own > 0)
		return "noise is shared";
	if (noise->mechanism != DP_GAUSSIAN)
	{
		scale = (long double) noise->scale_num / noise->scale_den * factor * (1 + DP_PRODUCT_SLACK);
		return set_scale(noise, scale) ? NULL : "noise scale is too large";
	}
	scale = ceill(noise->sigma * factor * (1 + DP_PRODUCT_SLACK));
	if (scale > MAX_SIGMA)
		return "noise scale is too large";
	noise->sigma = (uint64_t) scale;
	return NULL;
}

double
dp_accounting_draw_epsilon(const DpNoise *noise)
{
	long double shifts = noise->mechanism == DP_EXPONENTIAL ? 2 : 1;

	return dp_accounting_up(shifts * noise->sensitivity * noise->scale_den /
							noise->scale_num * (1 + DP_PRODUCT_SLACK));
}

/*
 * A unit that comes takes from the probability of an outcome at most epsilon, and adds half of
 * that at most (doc/accounting.md); which of the two directions costs more depends on the order.
 */
static double
rdp_above_threshold(double alpha, double epsilon)
{
	return fmax(dp_accounting_rdp_between(alpha, epsilon, epsilon / 2),
				dp_accounting_rdp_between(alpha, epsilon / 2, epsilon));
}

/*
 * Renyi divergence of order alpha of a release in one group, or of one draw,
 * rounded up.  A mechanism of bounded range epsilon costs most as Dong, Durfee,
 * Rogers 2020 have it; that grows with epsilon, so a range rounded up is an
 * upper bound.  Other selections are charged as the worst of their epsilon.
 */
static double
rdp(double alpha, const DpNoise *noise)
{
	switch (noise->mechanism)
	{
		case DP_LAPLACE:
			return dp_accounting_rdp_discrete_laplace(alpha, noise->scale_num, noise->scale_den,
													  noise->sensitivity);
		case DP_EXPONENTIAL:
			return dp_accounting_rdp_exponential(alpha, dp_accounting_draw_epsilon(noise));
		case DP_ABOVE_THRESHOLD:
			return rdp_above_threshold(alpha, dp_accounting_draw_epsilon(noise));
		case DP_PERMUTE_AND_FLIP:
			return dp_accounting_rdp_pure(alpha, dp_accounting_draw_epsilon(noise));
		case DP_GAUSSIAN:
			break;
	}
	return dp_accounting_rdp_discrete_gaussian(alpha, noise->sigma, noise->sensitivity);
}

/*
 * Half the range of the likelihood ratio in one group, or of one draw, rounded up.
 * That is pure epsilon, half of a bounded range, or 3/4 of what a unit that comes takes
 * at most from an outcome's probability, as it adds half of that.
 */
static double
half_range(const DpNoise *noise)
{
	double		epsilon = dp_accounting_draw_epsilon(noise);

	if (noise->mechanism == DP_EXPONENTIAL)
		return epsilon / 2;
	if (noise->mechanism == DP_ABOVE_THRESHOLD)
		return dp_accounting_up(0.75L * epsilon);
	return epsilon;
}

/* The variance of a release over all its groups, each a release of its own; infinite if not known. */
static void
set_variance(DpCurve *cost, const DpNoise *noise)
{
	switch (noise->mechanism)
	{
		case DP_LAPLACE:
		case DP_EXPONENTIAL:
		case DP_PERMUTE_AND_FLIP:
		case DP_ABOVE_THRESHOLD:
			dp_accounting_range_variance(cost, half_range(noise), noise->groups);
			break;
		case DP_GAUSSIAN:
			dp_accounting_gaussian_variance(cost, noise->sigma, noise->sensitivity, noise->groups);
			break;
	}
}

/*
 * The cost of a release over all its groups, rounded up.  A unit moves each of `groups`
 * totals by at most `sensitivity`, and the noises are independent: their Renyi curves,
 * pure epsilons and variances add up.  The costs of the draws of permute and flip add
 * up, too.
 */
static void
compute_cost(DpCurve *cost, const DpNoise *noise)
{
	long double groups = noise->groups * (1 + DP_PRODUCT_SLACK);

	*cost = (DpCurve) {.pure = INFINITY, .variance = INFINITY};
	set_variance(cost, noise);
	for (int i = 0; i < DP_ORDERS; i++)
		cost->rdp[i] = dp_accounting_up(groups * rdp(dp_accounting_order[i], noise));
	if (noise->mechanism == DP_EXPONENTIAL)
		cost->pure = dp_accounting_up(groups * dp_accounting_draw_epsilon(noise));
	else if (noise->mechanism != DP_GAUSSIAN)
		cost->pure = dp_accounting_up(groups * noise->sensitivity * noise->scale_den /
									  noise->scale_num * (1 + DP_PRODUCT_SLACK));
}

/* Whether two releases cost the same because all that compute_cost reads is equal. */
static bool
costs_alike(const DpNoise *a, const DpNoise *b)
{
	return a->mechanism == b->mechanism && a->groups == b->groups &&
		a->sensitivity == b->sensitivity && a->scale_num == b->scale_num &&
		a->scale_den == b->scale_den && a->sigma == b->sigma;
}

/*
 * cost += this release, whose noise is not shared.  A curve takes 25 microseconds to compute, and most statements
 * of a process ask for the same few noises: the latest ones are kept.  They follow from
 * public numbers alone.
 */
static void
add_charged(DpCurve *cost, const DpNoise *noise)
{
	static struct
	{
		DpNoise		noise;
		DpCurve		cost;
	}			kept[KEPT_COSTS];
	static unsigned next;
	static unsigned filled;

	for (unsigned i = 0; i < filled; i++)
		if (costs_alike(&kept[i].noise, noise))
		{
			dp_accounting_compose(cost, &kept[i].cost);
			return;
		}
	kept[next].noise = *noise;
	compute_cost(&kept[next].cost, noise);
	dp_accounting_compose(cost, &kept[next].cost);
	next = (next + 1) % KEPT_COSTS;
	if (filled < KEPT_COSTS)
		filled++;
}

int
dp_accounting_charged(const DpNoise *noise, DpNoise *charged)
{
	charged[0] = *noise;
	if (noise->own == 0)
		return 1;
	charged[0] = (DpNoise) {.mechanism = noise->mechanism, .groups = noise->groups, .grid = noise->grid - noise->own_bits,
		.sensitivity = noise->sensitivity * ((UINT64_C(1) << noise->own_bits) - noise->part), .sigma = noise->own};
	if (noise->others == 0)
		return 1;
	charged[1] = charged[0];
	charged[1].groups = noise->others;
	charged[1].sensitivity = noise->sensitivity * noise->part;
	return 2;
}

void
dp_accounting_add_noise(DpCurve *cost, const DpNoise *noise)
{
	DpNoise		charged[DP_CHARGED_MOST];
	int			count = dp_accounting_charged(noise, charged);

	for (int i = 0; i < count; i++)
		add_charged(cost, &charged[i]);
}

/* cost += the delta of one thresholded release, rounded up. */
void
dp_accounting_add_delta(DpCurve *cost, double delta)
{
	cost->delta = dp_accounting_add_up(cost->delta, delta);
}
