/* SPDX-License-Identifier: PostgreSQL */
/*
 * accuracy.c
 *	  How far noise reaches: standard deviation, half width, and thresholds
 *	  for private groups.  Declared in calibrate.h.
 *
 * All three come from the discrete distributions themselves.  P[Z >= m] is
 * exp(-s m) / (1 + exp(-s)) for the discrete Laplace with s = 1/scale and
 * m >= 1.  For the discrete Gaussian it is summed term by term up to
 * sigma = EXACT_SIGMA, and beyond that bounded by the continuous tail
 * Q((m - 1/2) / sigma) for every integer m >= 1:
 *
 * exp(-z^2 / 2 sigma^2) is concave up to z = sigma and convex beyond, so its
 * value at z is at least, respectively at most, its mean over [z - 1/2, z + 1/2]
 * (Hermite, Hadamard).  For m - 1/2 >= sigma, sum the terms from m on.  For
 * m - 1/2 <= sigma, sum half the term at 0 and those below m, and subtract from
 * one half of the total.  The total of all terms is sqrt(2 pi) sigma times
 * 1 + 2 exp(-2 pi^2 sigma^2) + ... (Poisson), which is 1 to any precision here.
 */
#include "accounting/calibrate.h"
#include "accounting/gaussian.h"
#include "accounting/rounding.h"

#define EXACT_SIGMA 64

/* From here on the discrete Gaussian's variance is sigma^2 to double precision. */
#define PLAIN_SIGMA 4

/* Relative slack of sums and logarithms of probabilities. */
#define TAIL_SLACK 0x1p-50L

/* The same of a logarithm of up to 2^11, which a tail above DBL_MIN has. */
#define PAIR_SLACK 0x1p-46L

/* The term of the discrete Gaussian at z. */
static long double
gaussian_term(uint64_t sigma, long double z)
{
	return expl(-z * z / 2 / sigma / sigma);
}

/*
 * The least m >= 1 with P[Z >= m] <= tail, term by term: terms are added from
 * where they no longer matter down to m.
 */
static long double
exact_gaussian_reach(uint64_t sigma, long double tail)
{
	int			top = (int) (sigma * sqrtl(2 * (50 - logl(tail)))) + 1;
	long double total = 1;
	long double sum = 0;
	int			z;

	for (z = top; z >= 1; z--)
		total += 2 * gaussian_term(sigma, z);
	for (z = top; z >= 1; z--)
	{
		sum += gaussian_term(sigma, z);
		if (sum > tail * total * (1 - TAIL_SLACK))
			break;
	}
	return z + 1;
}

/*
 * The least integer m >= 1 with P[Z >= m] <= tail for the noise Z, in grid
 * units; where rounding leaves a doubt, the next one.  0 < tail <= 1/2.
 */
static long double
noise_reach(const DpNoise *noise, long double tail)
{
	long double s;
	long double m;

	if (noise->mechanism == DP_GAUSSIAN)
	{
		if (noise->sigma <= EXACT_SIGMA)
			return exact_gaussian_reach(noise->sigma, tail);
		return ceill(noise->sigma * dp_accounting_normal_quantile(tail * (1 - TAIL_SLACK)) + 0.5L);
	}
	s = (long double) noise->scale_den / noise->scale_num;
	m = -(logl(tail) + log1pl(expl(-s))) / s;
	return fmaxl(1, ceill(m * (1 + DP_PRODUCT_SLACK)));
}

/* Scale in the value's unit. */
static long double
noise_scale(const DpNoise *noise)
{
	return ldexpl((long double) noise->scale_num / noise->scale_den, noise->grid);
}

/*
 * Standard deviation of the noise, in the value's unit.  The difference of two
 * geometric noises of one scale, as above threshold compares them, is discrete
 * Laplace noise.
 */
double
dp_accounting_stddev(const DpNoise *noise)
{
	long double s;
	long double total = 1;
	long double square = 0;

	if (noise->mechanism == DP_EXPONENTIAL)
		return NAN;
	if (noise->mechanism == DP_PERMUTE_AND_FLIP)
		return (double) noise_scale(noise);
	if (noise->mechanism != DP_GAUSSIAN)
	{
		s = (long double) noise->scale_den / noise->scale_num;
		return (double) ldexpl(sqrtl(2) * expl(-s / 2) / -expm1l(-s), noise->grid);
	}
	if (noise->sigma >= PLAIN_SIGMA)
		return (double) ldexpl(noise->sigma, noise->grid);
	for (int z = 1; z <= 20 * PLAIN_SIGMA; z++)
	{
		total += 2 * gaussian_term(noise->sigma, z);
		square += 2 * gaussian_term(noise->sigma, z) * z * z;
	}
	return (double) ldexpl(sqrtl(square / total), noise->grid);
}

/* pi / sqrt(6) times the scale. */
double
dp_accounting_gumbel_stddev(const DpNoise *noise)
{
	return (double) (noise_scale(noise) * 3.14159265358979323846L / sqrtl(6));
}

/*
 * Least h with P[|noise| <= h] >= probability, in the value's unit: the noise
 * is symmetric, so beyond h lies half of the rest on either side.
 */
double
dp_accounting_half_width(const DpNoise *noise, double probability)
{
	if (probability <= 0)
		return 0;
	if (!(probability < 1))
		return INFINITY;
	if (noise->mechanism == DP_PERMUTE_AND_FLIP)
		return (double) (-log1pl(-(long double) probability) * noise_scale(noise));
	return (double) ldexpl(noise_reach(noise, (1 - (long double) probability) / 2) - 1, noise->grid);
}

/*
 * McSherry, Talwar 2007: of at most `alternatives` with a score of more than
 * w + the least one, each is less likely than the best by exp(-w / scale), so
 * that all of them together have probability below alternatives exp(-w / scale).
 */
double
dp_accounting_choice_width(const DpNoise *noise, double alternatives, double probability)
{
	long double scale = (long double) noise->scale_num / noise->scale_den;
	long double width = scale * (logl(alternatives) - log1pl(-(long double) probability));

	return (double) ldexpl(width * (1 + DP_PRODUCT_SLACK), noise->grid);
}

/*
 * Probability with which one group may be shown, for a unit that alone makes
 * `groups` of them exist.
 */
static long double
tail_of_group(const DpNoise *noise, double delta)
{
	return fminl(-expm1l(log1pl(-(long double) delta) / noise->groups) * (1 - TAIL_SLACK), 0.5L);
}

/*
 * The threshold: a unit moves each count by at most `sensitivity`, so one that alone
 * makes a group exist has it released with probability at most P[sensitivity + Z >=
 * threshold] = p.  Over `groups` groups with independent noise, any with 1 - (1 -
 * p)^groups <= delta.
 */
int64_t
dp_accounting_threshold(const DpNoise *noise, double delta)
{
	long double threshold = noise->sensitivity + noise_reach(noise, tail_of_group(noise, delta));

	return threshold < 0x1p63L ? (int64_t) threshold : INT64_MAX;
}

/*
 * The logarithm of P[Z + Z' >= m], m >= 1, for two discrete Laplace noises with q = exp(-s).  Their sum is k
 * with the probability ((1 - q) / (1 + q))^2 (q^k (k + 1) + 2 q^(k + 2) / (1 - q^2)), k >= 0: terms between 0 and k are
 * q^k each, and those beyond fall by q^2 on either side.  Summed from m on, that is
 *	 q^m (1 - q) / (1 + q)^2 (m + 1 + q / (1 - q) + 2 q^2 / (1 - q^2)).
 */
static long double
log_pair_tail(long double s, long double m)
{
	long double q = expl(-s);
	long double rest = -expm1l(-s);

	return logl(rest) - 2 * logl(1 + q) + logl(m + 1 + q / rest - 2 * q * q / expm1l(-2 * s)) - m * s;
}

long double
dp_accounting_pair_reach(const DpNoise *noise, long double tail)
{
	long double s = (long double) noise->scale_den / noise->scale_num;
	long double most = logl(tail) - PAIR_SLACK;
	long double low = 0;
	long double high = 1;

	while (log_pair_tail(s, high) > most)
		high *= 2;
	while (high - low > 1 && high - low > high * DP_PRODUCT_SLACK)
	{
		long double middle = floorl((low + high) / 2);

		if (log_pair_tail(s, middle) > most)
			low = middle;
		else
			high = middle;
	}
	return high;
}

int64_t
dp_accounting_pair_threshold(const DpNoise *noise, double delta)
{
	long double threshold = noise->sensitivity + dp_accounting_pair_reach(noise, tail_of_group(noise, delta));

	return threshold < 0x1p63L ? (int64_t) threshold : INT64_MAX;
}

/*
 * A candidate that exists by one unit alone counts D rows at most.  Where the score of
 * "none" is x scales above, permute and flip throws heads for it with probability at
 * most exp(-x), and it is then one of two heads or more.  Its weight in the exponential
 * mechanism is at most exp(-x) times that of "none".  In all draws and candidates
 * together, draws * candidates * exp(-x), of permute and flip half of that, <= delta.
 */
int64_t
dp_accounting_none_score(const DpNoise *noise, int candidates, double delta)
{
	bool		weighed = noise->mechanism == DP_EXPONENTIAL;
	long double share = weighed ? 1 : 0.5L;
	long double x = logl((long double) noise->groups * candidates * share) - logl(delta);
	long double rows = (weighed ? 2 : 1) * ldexpl(noise->sensitivity, noise->grid) +
		ceill(fmaxl(x, 0) * noise_scale(noise) * (1 + TAIL_SLACK));
	long double score = ldexpl(rows, -noise->grid);

	return score < 0x1p63L ? (int64_t) score : INT64_MAX;
}
