/* SPDX-License-Identifier: PostgreSQL */
/*
 * pld.c
 *	  Exact composition by privacy-loss distributions.
 *
 * pld_list.c says what distributions; loss.h why the result is certified.
 */
#include <stdlib.h>

#include "accounting/curve.h"
#include "accounting/loss.h"
#include "accounting/mechanisms.h"
#include "accounting/pld.h"
#include "accounting/privacy_curve.h"
#include "accounting/rounding.h"

typedef struct DpPldList
{
	DpPldRelease *part;			/* all but Gaussian and large discrete Gaussian */
	int			parts;			/* no two of them alike */
	long double mu_square;		/* Gaussian: sum of squares of sensitivity / sigma */
	long double excess;			/* log factor by which their probabilities may be exceeded */
	long double raise;			/* and by how much their losses */
	long double log_delta_kept; /* log of the probability that nothing tells all */
	long double delta;			/* what is left of delta; none if not positive */
} DpPldList;

static long double pld_log_moment(const DpPldList *list, double theta);
static long double pld_greatest_loss(const DpPldList *list);
static const char *pld_check(const DpPldRelease *r);

/*
 * A list of releases, sorted into what is composed in different ways.
 *
 * Adaptively chosen queries are covered because each release is dominated by one
 * pair of distributions whatever its query, and products of dominating
 * pairs dominate the composition (Zhu, Dong, Wang 2022, Theorem 10).  The pairs:
 *
 * pure: randomised response (Kairouz, Oh, Viswanath 2015), after an event of
 * 	 probability delta that tells all.
 * range: log-likelihood ratios of a draw lie between t - e and t, for some t of 0 .. e that may differ
 * 	 from draw to draw.  The worst of these at epsilon has t = (epsilon + e) / 2 (Dong, Durfee,
 * 	 Rogers 2020), and delta = (1 - exp((epsilon - e) / 2))^2 / (1 - exp(-e)).  That is convex in
 * 	 exp(epsilon), so it is the delta of one pair, which dominates all t and adaptive choices of them
 * 	 (Zhu, Dong, Wang 2022, Proposition 8).  Its loss has a density exp(l / 2) / (4 sinh(e / 2)) on
 * 	 -e .. e under the first law.  Either direction of neighbours has it.
 * above threshold: log-likelihood ratios lie between -x and x / 2, or between -x / 2 and x.  The
 * 	 greater delta of both is that of one pair, whose loss is x, 0 or -x.
 * noise: its shift by the sensitivity; see loss.c.
 * Gaussian noise: k releases with mu are one with sqrt(k) mu; all Gaussian
 * 	 releases together are one with mu^2 the sum.
 *
 * discrete Gaussian noise Z with sigma >= LARGE_SIGMA is compared with Gaussian noise
 * 	 R rounded to integers, to which a whole-number shift D does just what it does
 * 	 to Gaussian noise before rounding.  P[Z = z] = P[R = z] exp(c(z)) / t, where
 * 	 t >= 1 (Poisson summation) and
 * 	 c(z) = -log of the mean of exp(-(2 z y + y^2) / 2 sigma^2) over |y| <= 1/2.
 * 	 By Jensen's inequality c(z) <= 1 / (24 sigma^2).  Its derivative is at most
 * 	 |z| / (4 sigma^4) in absolute value, since the mean of y under a tilted law on
 * 	 that interval changes by its variance, at most 1/4.  So as long as
 * 	 |z| <= v sigma, probabilities exceed those of R by at most the factor
 * 	 exp(1 / (24 sigma^2)), and losses by at most mu (v + mu) / (4 sigma^2).
 */

#define LARGE_SIGMA 1024

/* Share of delta that tails of large discrete Gaussians may use. */
#define TAIL_SHARE 1e-10L

/* Error in a release, or NULL. */
static const char *
pld_check(const DpPldRelease *r)
{
	if (r->count < 1 || r->count > DP_PLD_MAX_COUNT)
		return "count must be from 1 to 2147483647";
	switch (r->mechanism)
	{
		case DP_PLD_PURE:
			if (!(r->epsilon >= 0 && r->epsilon < INFINITY))
				return "epsilon must be at least 0 and finite";
			if (!(r->delta >= 0 && r->delta <= 1))
				return "delta of a release must be from 0 to 1";
			return NULL;
		case DP_PLD_RANGE:
		case DP_PLD_ABOVE_THRESHOLD:
			if (!(r->epsilon > 0 && r->epsilon < INFINITY))
				return "epsilon must be positive and finite";
			return NULL;
		case DP_PLD_DISCRETE_LAPLACE:
			if (r->scale_num < 1 || r->scale_den < 1)
				return "scale must be positive";
			break;
		case DP_PLD_DISCRETE_GAUSSIAN:
		case DP_PLD_GAUSSIAN:
			if (!(r->sigma > 0 && r->sigma < INFINITY))
				return "sigma must be positive and finite";
			break;
	}
	if (r->mechanism != DP_PLD_GAUSSIAN &&
		(r->sensitivity < 1 || r->sensitivity > UINT64_C(1) << 62))
		return "sensitivity must be from 1 to 2^62";
	return NULL;
}

/* Add Gaussian releases, or discrete ones as good as these. */
static void
add_gaussian(DpPldList *list, const DpPldRelease *r, long double reach)
{
	bool		discrete = r->mechanism == DP_PLD_DISCRETE_GAUSSIAN;
	long double sigma = r->sigma;
	long double mu = (discrete ? r->sensitivity : 1) / sigma;

	list->mu_square += r->count * mu * mu;
	if (!discrete)
		return;
	list->excess += r->count / (24 * sigma * sigma);
	list->raise += r->count * mu * (reach + mu) / (4 * sigma * sigma);
}

/* Equal releases compare equal. */
static int
compare_releases(const void *left, const void *right)
{
	const DpPldRelease *a = left;
	const DpPldRelease *b = right;

#define COMPARE(field) if (a->field != b->field) return a->field < b->field ? -1 : 1
	COMPARE(mechanism);
	COMPARE(sensitivity);
	COMPARE(scale_num);
	COMPARE(scale_den);
	COMPARE(sigma);
	COMPARE(epsilon);
#undef COMPARE
	return 0;
}

/* Count equal parts together. */
static void
merge_parts(DpPldList *list)
{
	int			kept = 0;

	qsort(list->part, list->parts, sizeof(DpPldRelease), compare_releases);
	for (int i = 1; i < list->parts; i++)
	{
		if (compare_releases(&list->part[kept], &list->part[i]) == 0)
			list->part[kept].count += list->part[i].count;
		else
			list->part[++kept] = list->part[i];
	}
	list->parts = list->parts > 0 ? kept + 1 : 0;
}

/*
 * The reach in standard deviations beyond which tails of large discrete Gaussians
 * together have at most TAIL_SHARE delta, reaches being shortened by the
 * rounding to integers.
 */
static long double
tail_reach(const DpPldRelease *releases, int n, double delta)
{
	long double count = 1;

	for (int i = 0; i < n; i++)
		count += releases[i].count;
	return sqrtl(2 * logl(2 * count / (TAIL_SHARE * delta))) + 1.0L / LARGE_SIGMA;
}

/* Sort the releases, and set aside the share of delta that is spent at once. */
static void
pld_sort(DpPldList *list, const DpPldRelease *releases, int n, double delta)
{
	long double reach = tail_reach(releases, n, delta);

	for (int i = 0; i < n; i++)
	{
		const DpPldRelease *r = &releases[i];
		DpPldRelease part = {.mechanism = r->mechanism, .count = r->count};

		if (r->mechanism == DP_PLD_GAUSSIAN ||
			(r->mechanism == DP_PLD_DISCRETE_GAUSSIAN && r->sigma >= LARGE_SIGMA))
		{
			add_gaussian(list, r, reach);
			continue;
		}
		if (r->mechanism == DP_PLD_PURE)
		{
			list->log_delta_kept += r->count * log1pl(-(long double) r->delta);
			part.epsilon = r->epsilon;
			if (r->epsilon == 0)
				continue;
		}
		else if (r->mechanism == DP_PLD_RANGE || r->mechanism == DP_PLD_ABOVE_THRESHOLD)
			part.epsilon = r->epsilon;
		else
			part.sensitivity = r->sensitivity;
		if (r->mechanism == DP_PLD_DISCRETE_LAPLACE)
		{
			part.scale_num = r->scale_num;
			part.scale_den = r->scale_den;
		}
		if (r->mechanism == DP_PLD_DISCRETE_GAUSSIAN)
			part.sigma = r->sigma;
		list->part[list->parts++] = part;
	}
	list->delta = -expm1l(log1pl(-(long double) delta) - list->log_delta_kept);
	list->delta -= delta * 0x1p-60L;
	if (list->excess > 0)
		list->delta -= TAIL_SHARE * delta;
	merge_parts(list);
}

/* The loss per release that all but Gaussian noise stays within. */
static long double
greatest_loss(const DpPldRelease *part)
{
	switch (part->mechanism)
	{
		case DP_PLD_PURE:
		case DP_PLD_RANGE:
		case DP_PLD_ABOVE_THRESHOLD:
			return part->epsilon;
		case DP_PLD_DISCRETE_LAPLACE:
			return (long double) part->sensitivity * part->scale_den / part->scale_num;
		default:
			return INFINITY;
	}
}

/* A bound on every privacy loss of the whole list; infinite if there is none. */
static long double
pld_greatest_loss(const DpPldList *list)
{
	long double sum = list->mu_square > 0 ? INFINITY : 0;

	for (int i = 0; i < list->parts; i++)
		sum += list->part[i].count * greatest_loss(&list->part[i]);
	return sum;
}

/*
 * theta times the Renyi divergence of order theta + 1 >= 1.01 of the whole list,
 * where theta + 1 is a double; within 2^-50 relative, or above.
 */
static long double
pld_log_moment(const DpPldList *list, double theta)
{
	double		alpha = theta + 1;
	long double sum = theta * (theta + 1.0L) * list->mu_square / 2 + list->excess;

	for (int i = 0; i < list->parts; i++)
	{
		const DpPldRelease *part = &list->part[i];
		long double mu = (long double) part->sensitivity / part->sigma;
		long double divergence = 0;

		switch (part->mechanism)
		{
			case DP_PLD_PURE:
				divergence = dp_accounting_rdp_pure(alpha, part->epsilon);
				break;
			case DP_PLD_RANGE:
				divergence = dp_accounting_rdp_exponential(alpha, part->epsilon);
				break;
			case DP_PLD_ABOVE_THRESHOLD:
				divergence = fmaxl(dp_accounting_rdp_between(alpha, part->epsilon, part->epsilon / 2),
								   dp_accounting_rdp_between(alpha, part->epsilon / 2, part->epsilon));
				break;
			case DP_PLD_DISCRETE_LAPLACE:
				divergence = dp_accounting_rdp_discrete_laplace(alpha, part->scale_num,
																part->scale_den,
																part->sensitivity);
				break;
			case DP_PLD_DISCRETE_GAUSSIAN:
				divergence = (theta + 1.0L) * mu * mu / 2;
				break;
			case DP_PLD_GAUSSIAN:
				break;
		}
		sum += part->count * divergence * theta;
	}
	return sum;
}

/* Tilts that are tried: a geometric ladder from Renyi order 1.01 on. */
#define LEAST_TILT 0.01L
#define TILT_RATIO 1.25L
#define TILTS 150

/* A smaller tilt is as good if the conversion from Renyi orders loses no more. */
#define TILT_TOLERANCE 0.003L

/* Relative error of epsilon that putting all distributions on one grid may cause. */
#define GRID_TOLERANCE 1e-4L

/* Beyond this the conversion from Renyi orders is the answer. */
#define MAX_EPSILON 10000
#define MAX_GAUSSIAN_EPSILON 1e6L

/* Points of a distribution, and at least so many while one of many is made. */
#define MAX_POINTS 32768
#define MIN_MAX_POINTS 2048

/* Mass cut off tails. */
#define CUT 1e-14L

/* Relative slack of results. */
#define RESULT_SLACK 0x1p-50L

/* Bound by conversion from Renyi orders. */
typedef struct Conversion
{
	long double epsilon;		/* an upper bound; may be negative */
	long double theta;			/* the tilt to compose with */
} Conversion;

/*
 * Convert from Renyi orders to epsilon (Canonne, Kamath, Steinke 2020) at every
 * tilt of the ladder, rounded up; keep the least epsilon, and the least tilt
 * that is about as good.
 */
static Conversion
convert(const DpPldList *list, const DpPldServices *services)
{
	Conversion	best = {.epsilon = INFINITY, .theta = LEAST_TILT};
	long double log_delta = logl(list->delta);
	long double epsilon[TILTS];
	double		tilt[TILTS];
	long double theta = LEAST_TILT;

	for (int i = 0; i < TILTS; i++, theta *= TILT_RATIO)
	{
		long double moment;

		services->check();
		tilt[i] = (double) (theta + 1) - 1;
		moment = pld_log_moment(list, tilt[i]);
		epsilon[i] = (moment - log_delta - log1pl(tilt[i])) / tilt[i] - log1pl(1.0L / tilt[i]);
		epsilon[i] += RESULT_SLACK * (moment - log_delta + log1pl(tilt[i]) + 2) / tilt[i];
		epsilon[i] += list->raise;
		best.epsilon = fminl(best.epsilon, epsilon[i]);
	}
	for (int i = TILTS - 1; i >= 0; i--)
		if (epsilon[i] <= best.epsilon * (1 + TILT_TOLERANCE))
			best.theta = tilt[i];
	return best;
}

/* The losses of all releases of one of so many parts. */
static DpLoss
part_loss(DpLossWork *work, const DpPldRelease *part, int parts)
{
	DpLoss		loss;

	/* One part at least. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
	work->max_points = MAX_POINTS / parts;
	if (work->max_points < MIN_MAX_POINTS)
		work->max_points = MIN_MAX_POINTS;
	if (part->mechanism == DP_PLD_PURE)
		loss = dp_accounting_loss_laplace(work, part->epsilon, 1);
	else if (part->mechanism == DP_PLD_RANGE)
		loss = dp_accounting_loss_range(work, part->epsilon);
	else if (part->mechanism == DP_PLD_ABOVE_THRESHOLD)
		loss = dp_accounting_loss_above_threshold(work, part->epsilon);
	else if (part->mechanism == DP_PLD_DISCRETE_LAPLACE)
		loss = dp_accounting_loss_laplace(work, (long double) part->scale_den / part->scale_num,
										  part->sensitivity);
	else
		loss = dp_accounting_loss_discrete_gaussian(work, part->sigma, part->sensitivity);
	dp_accounting_loss_multiply(work, &loss, part->count, CUT);
	return loss;
}

/*
 * *sum = sum + part, on a grid as fine as `step`, or as coarse as their extents
 * require; part is used up.
 */
static void
add_part(DpLossWork *work, DpLoss *sum, DpLoss *part, long double step)
{
	long double range = fmaxl(part->points * part->step, sum->points * sum->step);
	DpLoss		total;

	work->max_points = MAX_POINTS;
	step = fmaxl(step, range / work->max_points * 2);
	dp_accounting_loss_regrid(work, part, step);
	if (sum->step != step)
		dp_accounting_loss_regrid(work, sum, step);
	total = dp_accounting_loss_add(work, sum, part, CUT);
	dp_accounting_loss_free(work, part);
	dp_accounting_loss_free(work, sum);
	*sum = total;
}

/*
 * Epsilon by composing distributions.
 *
 * Putting one on a grid of step h adds at most theta^2 h^2 / 8 to the log of its
 * moment at the tilt, hence theta h^2 / 8 to epsilon.
 */
static long double
compose(const DpPldList *list, Conversion conversion, const DpPldServices *services)
{
	bool		gaussian = list->mu_square > 0;
	int			parts = list->parts + gaussian;
	long double step = sqrtl(8 * GRID_TOLERANCE * conversion.epsilon / (parts * conversion.theta));
	DpLossWork	work = {.services = services, .theta = conversion.theta};
	DpLoss		sum;
	long double epsilon;

	if (gaussian)
		sum = dp_accounting_loss_gaussian(&work, sqrtl(list->mu_square), list->excess);
	else
		sum = part_loss(&work, &list->part[0], parts);
	for (int i = gaussian ? 0 : 1; i < list->parts; i++)
	{
		DpLoss		part = part_loss(&work, &list->part[i], parts);

		add_part(&work, &sum, &part, step);
	}
	epsilon = dp_accounting_loss_epsilon(&work, &sum, list->delta) + list->raise;
	dp_accounting_loss_free(&work, &sum);
	if (work.roots != NULL)
		services->release(work.roots);
	return epsilon;
}

/* Epsilon where there is only Gaussian noise: in closed form. */
static long double
gaussian_epsilon(const DpPldList *list)
{
	long double mu = sqrtl(list->mu_square) * (1 + RESULT_SLACK);
	long double delta = list->delta * expl(-list->excess) * (1 - RESULT_SLACK);

	return dp_accounting_gdp_to_epsilon((double) mu, (double) delta) + list->raise;
}

/* Epsilon of a list: the least of several bounds, all of which hold. */
static long double
list_epsilon(const DpPldList *list, const DpPldServices *services)
{
	Conversion	conversion;
	long double bound;

	if (!(list->delta > 0))
		return INFINITY;
	if (list->parts == 0 && list->mu_square == 0)
		return 0;
	conversion = convert(list, services);
	bound = fminl(fmaxl(conversion.epsilon, 0), pld_greatest_loss(list));
	if (list->parts == 0 && bound > 0 && bound < MAX_GAUSSIAN_EPSILON)
		return fminl(bound, gaussian_epsilon(list));
	if (bound > 0 && conversion.epsilon <= MAX_EPSILON)
		return fminl(bound, compose(list, conversion, services));
	return bound;
}

const char *
dp_accounting_pld_epsilon(const DpPldRelease *releases, int n, double delta,
						  const DpPldServices *services, double *epsilon)
{
	DpPldList	list = {.parts = 0};
	const char *wrong;

	if (!(delta >= DP_PLD_MIN_DELTA && delta < 1))
		return "delta must be from 1e-300 to less than 1";
	for (int i = 0; i < n; i++)
		if ((wrong = pld_check(&releases[i])) != NULL)
			return wrong;

	list.part = services->allocate((n + 1) * sizeof(DpPldRelease));
	pld_sort(&list, releases, n, delta);
	*epsilon = dp_accounting_up(list_epsilon(&list, services) * (1 + RESULT_SLACK));
	services->release(list.part);
	return NULL;
}

/*
 * scale = mantissa * 2^exponent with a mantissa of 53 bits, of which as many are
 * dropped as leave the denominator in 63 bits.
 */
bool
dp_accounting_pld_scale(double scale, uint64_t *num, uint64_t *den)
{
	int			exponent;
	double		fraction = frexp(scale, &exponent);
	uint64_t	mantissa;

	if (!(scale >= 1e-6 && scale <= 0x1p62))
		return false;
	mantissa = (uint64_t) ldexp(fraction, 53);
	exponent -= 53;
	if (exponent < -63)
	{
		mantissa >>= -63 - exponent;
		exponent = -63;
	}
	*num = exponent > 0 ? mantissa << exponent : mantissa;
	*den = exponent > 0 ? 1 : UINT64_C(1) << -exponent;
	return true;
}
