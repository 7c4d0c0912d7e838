/*
 * pld_list.c
 *	  A list of releases, sorted into what is composed in different ways.
 *
 * Adaptively chosen queries are covered because each release is dominated by one
 * pair of distributions whatever its query, and products of dominating
 * pairs dominate the composition (Zhu, Dong, Wang 2022, Theorem 10).  The pairs:
 *
 * pure: randomised response (Kairouz, Oh, Viswanath 2015), after an event of
 *	 probability delta that tells all.
 * noise: its shift by the sensitivity; see loss_mechanism.c.
 * Gaussian noise: k releases with mu are one with sqrt(k) mu; all Gaussian
 *	 releases together are one with mu^2 the sum.
 *
 * discrete Gaussian noise Z with sigma >= LARGE_SIGMA is compared with Gaussian noise
 *	 R rounded to integers, to which a whole-number shift D does just what it does
 *	 to Gaussian noise before rounding.  P[Z = z] = P[R = z] exp(c(z)) / t, where
 *	 t >= 1 (Poisson summation) and
 *	 c(z) = -log of the mean of exp(-(2 z y + y^2) / 2 sigma^2) over |y| <= 1/2.
 *	 By Jensen's inequality c(z) <= 1 / (24 sigma^2).  Its derivative is at most
 *	 |z| / (4 sigma^4) in absolute value, since the mean of y under a tilted law on
 *	 that interval changes by its variance, at most 1/4.  So as long as
 *	 |z| <= v sigma, probabilities exceed those of R by at most the factor
 *	 exp(1 / (24 sigma^2)), and losses by at most mu (v + mu) / (4 sigma^2).
 */
#include "accounting/pld_list.h"

#include <stdlib.h>

#include "accounting/curve.h"
#include "accounting/rounding.h"

#define LARGE_SIGMA 1024

/* Share of delta that tails of large discrete Gaussians may use. */
#define TAIL_SHARE 1e-10L

const char *
dp_accounting_pld_check(const DpPldRelease *r)
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
void
dp_accounting_pld_sort(DpPldList *list, const DpPldRelease *releases, int n, double delta)
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

/* The loss per release that randomised response or Laplace noise stays within. */
static long double
greatest_loss(const DpPldRelease *part)
{
	switch (part->mechanism)
	{
		case DP_PLD_PURE:
			return part->epsilon;
		case DP_PLD_DISCRETE_LAPLACE:
			return (long double) part->sensitivity * part->scale_den / part->scale_num;
		default:
			return INFINITY;
	}
}

long double
dp_accounting_pld_greatest_loss(const DpPldList *list)
{
	long double sum = list->mu_square > 0 ? INFINITY : 0;

	for (int i = 0; i < list->parts; i++)
		sum += list->part[i].count * greatest_loss(&list->part[i]);
	return sum;
}

long double
dp_accounting_pld_log_moment(const DpPldList *list, double theta)
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
