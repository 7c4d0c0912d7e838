/* SPDX-License-Identifier: PostgreSQL */
/*
 * discrete_gaussian.c
 *	  Sums over the discrete Gaussian distribution.
 *
 * Sums over all integers are short: directly for narrow distributions, by
 * Poisson's summation formula for the others.  Sums that begin somewhere are
 * taken term by term for sigma below SMOOTH_SIGMA, and from there on by the
 * formula of Euler and Maclaurin, which is exact to 2^-60 with EM_TERMS terms:
 *
 *	 sum_{n >= 0} f(e + w + n) = integral_e^inf f - sum_{k >= 1} b_k(w) f^(k-1)(e),
 *
 * where b_k is the k-th Bernoulli polynomial over k!.  With phi the normal
 * density, f(z) = phi(z / sigma) and x = e / sigma, the integral is
 * sigma M(x) phi(x), M the Mills ratio, and f^(j)(e) is
 * (-1 / sigma)^j He_j(x) phi(x), He_j the Hermite polynomials.
 */
#include "accounting/discrete_gaussian.h"
#include "accounting/gaussian.h"
#include "accounting/outward.h"

#define PI 3.141592653589793238462643383279502884L
#define HALF_LOG_2PI 0.918938533204672741780329736405617640L

/* Below this sigma2 sums over all integers are taken directly. */
#define NARROW_SIGMA2 0.25L
#define NARROW_TERMS 7
#define WIDE_TERMS 4

#define SMOOTH_SIGMA 64
#define EM_TERMS 20

/* Bernoulli numbers over factorials: B_i / i!. */
static const long double bernoulli[EM_TERMS + 1] = {
	1, -1.0L / 2, 1.0L / 12, 0, -1.0L / 720, 0, 1.0L / 30240, 0, -1.0L / 1209600, 0,
	1.0L / 47900160, 0, -691.0L / 1307674368000, 0, 1.0L / 74724249600, 0,
	-3617.0L / 10670622842880000, 0, 43867.0L / 5109094217170944000, 0,
	-174611.0L / 802857662698291200000.0L
};

/* The frequency k of Poisson's formula, relative to frequency 0. */
static long double
frequency(long double sigma2, int k)
{
	return expl(-2 * PI * PI * sigma2 * k * k);
}

/* The term at z, relative to the term at 0. */
static long double
term(long double sigma2, long double z)
{
	return expl(-z * z / sigma2 / 2);
}

/* The sum of all terms. */
static long double
theta(long double sigma2)
{
	long double sum = 1;

	if (sigma2 < NARROW_SIGMA2)
	{
		for (int z = 1; z <= NARROW_TERMS; z++)
			sum += 2 * term(sigma2, z);
		return sum;
	}
	for (int k = 1; k <= WIDE_TERMS; k++)
		sum += 2 * frequency(sigma2, k);
	return sqrtl(2 * PI * sigma2) * sum;
}

/* log(theta(c) / theta(0)); theta is even and has period 1. */
long double
dp_accounting_theta_log_ratio(long double sigma2, long double c)
{
	long double missing = 0;
	long double total = 1;
	long double here = 0;
	long double there = 0;

	c = fminl(c, 1 - c);
	if (sigma2 >= NARROW_SIGMA2)
	{
		for (int k = 1; k <= WIDE_TERMS; k++)
		{
			long double wave = sinl(PI * k * c);

			missing += 4 * frequency(sigma2, k) * wave * wave;
			total += 2 * frequency(sigma2, k);
		}
		return log1pl(-missing / total);
	}
	for (int z = 1; z <= NARROW_TERMS; z++)
	{
		here += 2 * term(sigma2, z);
		there += expl(-z * (z + 2 * c) / sigma2 / 2) + expl(-z * (z - 2 * c) / sigma2 / 2);
	}
	return log1pl(there) - log1pl(here) - c * c / sigma2 / 2;
}

/*
 * The variance: by Poisson's formula, 2 sigma2^2 times the derivative of
 * log theta in sigma2.
 */
long double
dp_accounting_gaussian_integer_variance(long double sigma2)
{
	long double total = 1;
	long double square = 0;

	if (sigma2 < NARROW_SIGMA2)
	{
		for (int z = 1; z <= NARROW_TERMS; z++)
			square += 2 * term(sigma2, z) * z * z;
		return square / theta(sigma2);
	}
	for (int k = 1; k <= WIDE_TERMS; k++)
	{
		total += 2 * frequency(sigma2, k);
		square += frequency(sigma2, k) * k * k;
	}
	return sigma2 - 8 * PI * PI * sigma2 * sigma2 * square / total;
}

/* Sum over j of b_{j+1}(w) (-1 / sigma)^j c_j. */
static long double
euler_maclaurin(long double w, long double sigma, const long double c[EM_TERMS])
{
	long double power[EM_TERMS + 1];	/* w^i / i! */
	long double scale = 1;
	long double sum = 0;

	power[0] = 1;
	for (int i = 1; i <= EM_TERMS; i++)
		power[i] = power[i - 1] * w / i;
	for (int j = 0; j < EM_TERMS; j++)
	{
		long double b = 0;

		for (int i = 0; i <= j + 1; i++)
			b += bernoulli[i] * power[j + 1 - i];
		sum += b * scale * c[j];
		scale /= -sigma;
	}
	return sum;
}

/* P[Z >= m], term by term until the rest is negligible. */
static long double
short_tail(long double sigma2, long double m)
{
	long double sum = 0;
	long double last;

	do
	{
		last = term(sigma2, m);
		sum += last;
		m++;
	} while (last * (1 + sigma2) > sum * 0x1p-70L);
	return sum / theta(sigma2);
}

long double
dp_accounting_gaussian_integer_tail(long double sigma2, long double m)
{
	long double sigma = sqrtl(sigma2);
	long double x = m / sigma;
	long double hermite[EM_TERMS] = {1, x};

	if (sigma < SMOOTH_SIGMA || sigma < 2 * x)
		return short_tail(sigma2, m);
	for (int j = 2; j < EM_TERMS; j++)
		hermite[j] = x * hermite[j - 1] - (j - 1) * hermite[j - 2];
	return expl(-x * x / 2 - HALF_LOG_2PI) *
		(dp_accounting_mills(x) - euler_maclaurin(0, sigma, hermite) / sigma);
}

/*
 * Sum over z > edge of P(z) - exp(epsilon) P(z + shift), every term positive:
 * their ratio is exp((z - edge) shift / sigma2).
 */
static long double
short_log_delta(long double sigma2, long double edge, long double shift)
{
	long double z = floorl(edge) + 1;
	long double sum = 0;
	long double last;

	do
	{
		last = term(sigma2, z);
		sum -= last * expm1l((edge - z) * shift / sigma2);
		z++;
	} while (z <= 0 || last * (1 + sigma2) > sum * 0x1p-70L);
	return logl(sum / theta(sigma2));
}

/*
 * The same by Euler and Maclaurin with x = edge / sigma, h = shift / sigma:
 * f(z) = phi(z / sigma) - exp(epsilon) phi(z / sigma + h) vanishes at the edge,
 * and exp(epsilon) phi(x + h) = phi(x) leaves differences of Mills ratios and
 * of Hermite polynomials, neither by subtraction.
 */
static long double
smooth_log_delta(long double sigma, long double edge, long double h)
{
	long double x = edge / sigma;
	long double w = floorl(edge) + 1 - edge;
	long double hermite[EM_TERMS] = {1, x + h}; /* at x + h */
	long double lost[EM_TERMS] = {0, -h};	/* at x, less those at x + h */
	long double mass;

	for (int j = 2; j < EM_TERMS; j++)
	{
		hermite[j] = (x + h) * hermite[j - 1] - (j - 1) * hermite[j - 2];
		lost[j] = x * lost[j - 1] - h * hermite[j - 1] - (j - 1) * lost[j - 2];
	}
	mass = dp_accounting_mills_difference(x, h) - euler_maclaurin(w, sigma, lost) / sigma;
	return -x * x / 2 - HALF_LOG_2PI + logl(mass);
}

/*
 * The privacy curve (Canonne, Kamath, Steinke 2020, Theorem 7): the sum over
 * those z whose privacy loss (2z + shift) shift / (2 sigma2) exceeds epsilon,
 * that is over z > edge = epsilon sigma2 / shift - shift / 2.
 *
 * With x = edge / sigma, both delta for x > 0 and 1 - delta for x < 0 are at
 * most 2 exp(-x^2 / 2).
 */
long double
dp_accounting_gaussian_integer_log_delta(long double sigma2, long double epsilon,
										 long double shift, long double *error)
{
	long double sigma = sqrtl(sigma2);
	long double h = shift / sigma;
	long double edge = fmal(epsilon, sigma2 / shift, -shift / 2);
	long double x = edge / sigma;

	*error = 0x1p-52L + 0x1p-58L * (1 + fabsl(x)) * (1 + fabsl(x) + h);
	if (x < -10)
		return 0;
	if (x > 41)
		return -INFINITY;
	if (sigma < SMOOTH_SIGMA || sigma < 2 * (fabsl(x) + fabsl(x + h)))
		return short_log_delta(sigma2, edge, shift);
	return smooth_log_delta(sigma, edge, h);
}
