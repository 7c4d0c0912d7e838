/* SPDX-License-Identifier: PostgreSQL */
/*
 * variance.c
 *	  What releases cost in variance, for the second rule of the privacy filter.
 */
#include <stdbool.h>

#include "accounting/outward.h"
#include "accounting/privacy_curve.h"
#include "accounting/variance.h"

/*
 * The part of the budget's share of delta that covers the difference of integer noise
 * from continuous noise.
 */
#define DP_VARIANCE_SLACK 0x1p-20

/* Up to here randomised response is worth less than the square of its epsilon. */
#define MOST_PRECISE 4

/* Nobody needs to know the variance of more than this; its square is a double. */
#define MOST_RANGE 1e100

/* Above this, exponentials of what is sampled overflow. */
#define MOST_SAMPLED 11000

/* The order 2 on the grid. */
#define ORDER_TWO 6

/* By how much, relatively, charges of that order may be rounded above the variance. */
#define ORDER_SLACK 0x1p-30

static void
set_infinite(DpCurve *cost)
{
	cost->variance = INFINITY;
	cost->coarseness = 0;
}

/*
 * Randomised response of epsilon x is worth g(x) = 8 log cosh(x / 2), which is below x^2, with m c =
 * x^4 / 6; for large x, x^2 is charged.  Rounded up: first c, and m from that, so that neither m c
 * falls below x^4 / 6 nor m below c / 6.  g is 8 log(1 + 2 sinh(x / 4)^2), where nothing cancels.
 */
void
dp_accounting_range_variance(DpCurve *cost, double half, int groups)
{
	long double x = half;
	long double root;
	double		c;

	set_infinite(cost);
	if (!(half > 0 && half < MOST_RANGE))
		return;
	root = x <= MOST_PRECISE ? sinhl(x / 4) : 0;
	c = dp_accounting_up((x <= MOST_PRECISE ? 8 * log1pl(2 * root * root) : x * x) *
						 (1 + DP_LOG_SLACK));
	cost->variance = dp_accounting_up(dp_accounting_mul_up(c, groups));
	cost->coarseness = dp_accounting_up(fmaxl(x * x * x * x / c, c) / 6 * (1 + DP_LOG_SLACK));
}

/* c = D^2 / sigma^2 for each total, and m = 3 D^2 / (7 sigma^2 (sigma^2 - 3)). */
void
dp_accounting_gaussian_variance(DpCurve *cost, uint64_t sigma, uint64_t sensitivity, int groups)
{
	long double s = sigma;
	long double ratio = sensitivity / s;

	set_infinite(cost);
	if (sigma < 2)
		return;
	cost->variance = dp_accounting_up(ratio * ratio * groups * (1 + DP_LOG_SLACK));
	cost->coarseness = dp_accounting_up(3 * ratio * ratio / (7 * (s * s - 3)) * (1 + DP_LOG_SLACK));
}

/*
 * L = 1 - p + p L', exp(-epsilon) <= L' <= exp(epsilon), has the range log((1 - p + p exp(epsilon)) /
 * (1 - p + p exp(-epsilon))).
 */
double
dp_accounting_sampled_range(double epsilon, double p)
{
	long double fall = p * expm1l(-(long double) epsilon);
	long double up;
	long double down;

	if (!(epsilon > 0 && epsilon < MOST_SAMPLED))
		return INFINITY;
	up = log1pl(p * expm1l(epsilon));
	down = fall > -0.5L ? -log1pl(fall) : -logl((1 - (long double) p) + p * expl(-(long double) epsilon));
	return dp_accounting_up((up + down) / 2 * (1 + DP_LOG_SLACK));
}

/* The greatest variance that is taken from a curve: Lemma 6 wants no more than 1. */
#define MOST_OF_CURVE 1

/* Relative slack of what follows, where at most one bit or two cancel. */
#define CURVE_SLACK 0x1p-50L

/* 1 - (3/2 - x/3) G(r), G(r) the integral of y exp(-r (1 - y)) over 0 < y < 1; r >= 0. */
static long double
missing_part(long double r, long double x)
{
	long double g = 0;
	long double term = 0.5L;

	if (r > 0.5L)
		g = 1 / r + expm1l(-r) / (r * r);
	else
		for (int n = 0; n < 20; n++)
		{
			g += term;
			term *= -r / (n + 3);
		}
	return 1 - (1.5L - x / 3) * g;
}

/*
 * Orders from one to another, at which RDP(a) is at most x a / 2.  Between orders of the grid
 * (a - 1) RDP(a) is at most its chord, and beyond the last RDP is at most the pure epsilon.
 */
typedef struct Orders
{
	long double x;
	long double most;			/* a (a - 1) x / 2 at the greatest */
} Orders;

/* The greater of two; no number if either is none. */
static long double
greater(long double a, long double b)
{
	if (a >= b)
		return a;
	return b > a ? b : NAN;
}

#define CURVE_PIECES (DP_ORDERS - ORDER_TWO + 1)

static void
take_pieces(const DpCurve *cost, Orders *piece)
{
	const double *order = dp_accounting_order;
	long double gain = expm1l(cost->rdp[ORDER_TWO]);

	piece[0].x = piece[0].most = gain * (1 + gain / 8);
	for (int i = ORDER_TWO; i < DP_ORDERS - 1; i++)
	{
		Orders	   *p = &piece[i - ORDER_TWO + 1];
		long double a = order[i];
		long double next = order[i + 1];
		long double rise = (next - a) * (next - a) / (4 * a * (a - 1));

		p->x = 2 * greater(cost->rdp[i] / a, cost->rdp[i + 1] / next) * (1 + rise);
		p->most = next * (next - 1) / 2 * p->x;
	}
	piece[CURVE_PIECES - 1] = (Orders) {2 * (long double) cost->pure / order[DP_ORDERS - 1], INFINITY};
}

/* Lemma 6: c is the greatest x, and m such that c + m c / v is enough for each x where v >= 7 m. */
void
dp_accounting_curve_variance(DpCurve *bound, const DpCurve *cost)
{
	Orders		piece[CURVE_PIECES];
	long double c = 0;
	long double m;

	set_infinite(bound);
	take_pieces(cost, piece);
	for (int i = 0; i < CURVE_PIECES; i++)
		c = greater(c, piece[i].x);
	if (!(c > 0 && c <= MOST_OF_CURVE))
		return;
	c = dp_accounting_up(c * (1 + CURVE_SLACK));
	m = c / 6;
	for (int i = 0; i < CURVE_PIECES; i++)
	{
		long double x = piece[i].x;
		long double part = 64.0L / 49 * c * missing_part(piece[i].most, x);

		m = fmaxl(m, c * fminl(8.0L / 7 * x, part) / (8 * c - 7 * x));
	}
	bound->variance = (double) c;
	bound->coarseness = dp_accounting_up(m * (1 + CURVE_SLACK));
}

/*
 * How many releases alike fit into what budgets of epsilon 1 and 0.1 have, about, tells which of two bounds
 * is better.  Where few do, the rule of pure epsilons admits as many.
 */
#define LARGE_NEED 0.0625L
#define SMALL_NEED 0.001L
#define FEW 8

/* About how many of this cost fit. */
static long double
fitting(const DpCurve *cost, long double need)
{
	long double c = cost->variance;
	long double m = cost->coarseness;

	if (!(c < INFINITY))
		return 0;
	return (need - m * (7 + log1pl(need / m))) / c;
}

static bool
is_better(const DpCurve *cost, const DpCurve *other)
{
	long double few = fitting(other, SMALL_NEED);

	return cost->variance < other->variance && fitting(cost, LARGE_NEED) > fitting(other, LARGE_NEED) &&
		(few < FEW || fitting(cost, SMALL_NEED) >= few);
}

/* What is not asked of everybody costs no more than what is (Jensen), nor than its range, nor its curve. */
void
dp_accounting_sample_variance(DpCurve *cost, double whole, double p)
{
	DpCurve		other;

	dp_accounting_range_variance(&other, dp_accounting_sampled_range(whole, p), 1);
	if (other.variance < cost->variance)
	{
		cost->variance = other.variance;
		cost->coarseness = other.coarseness;
	}
	dp_accounting_curve_variance(&other, cost);
	if (is_better(&other, cost))
	{
		cost->variance = other.variance;
		cost->coarseness = other.coarseness;
	}
}

/* A + m (7 + log(1 + A / m)). */
double
dp_accounting_variance_needed(const DpCurve *total)
{
	long double a = total->variance;
	long double m = total->coarseness;
	long double rest;

	if (!(a >= 0 && a < INFINITY && m >= 0 && m < INFINITY))
		return INFINITY;
	if (!(total->rdp[ORDER_TWO] <= a * (1 + ORDER_SLACK)))
		return INFINITY;
	rest = m > 0 ? m * (7 + log1pl(a / m)) : 0;
	return dp_accounting_up((a + rest) * (1 + DP_LOG_SLACK));
}

/* P[N(0,1) >= x] */
static long double
tail(long double x)
{
	return erfcl(x * 0.707106781186547524400844362104849039L) / 2;
}

/*
 * The privacy curve Q(u) - exp(epsilon) Q(u + h) of Gaussian noise, u = epsilon / h - h
 * / 2 (Balle, Wang 2018, Theorem 8), its slope, and a bound on its error.  Both terms
 * may be wrong by 2^-58, and by what the rounding of u, relatively 2^-62, changes a
 * tail: at most u^2 + 1 times as much.
 */
typedef struct Curve
{
	long double delta;
	long double slope;
	long double error;
} Curve;

static Curve
gaussian_curve(long double h, long double epsilon)
{
	long double u = epsilon / h - h / 2;
	long double near = tail(u);
	long double far = expl(epsilon) * tail(u + h);
	long double size = (fabsl(u) + h) * (fabsl(u) + h) + 1;

	return (Curve) {near - far, -far, (near + far) * (0x1p-58L + size * 0x1p-60L)};
}

/*
 * About where that curve has come down to delta, by doubles; a number above that if they are too short.
 *
 * log delta falls and is concave in epsilon, so Newton's method comes down on the root from
 * above, where it starts.
 */
static double
rough_epsilon(double h, double delta)
{
	double		start = h * h / 2 + h * sqrt(-2 * log(delta));
	double		epsilon = start;

	for (int i = 0; i < 30; i++)
	{
		double		u = epsilon / h - h / 2;
		double		far = exp(epsilon) * erfc((u + h) * M_SQRT1_2) / 2;
		double		value = erfc(u * M_SQRT1_2) / 2 - far;
		double		step = log(value / delta) * value / far;

		if (!(fabs(step) > epsilon * 1e-9))
			break;
		epsilon += step;
	}
	return epsilon > 0 ? epsilon : start;
}

/*
 * The same as dp_accounting_gdp_to_epsilon(h, delta), or a little more, in a few microseconds: by tails
 * that the C library has, where these are precise enough; infinite where they are not.
 */
static long double
quick_epsilon(long double h, long double delta)
{
	long double epsilon;
	Curve		curve = gaussian_curve(h, 0);

	if (curve.delta + curve.error <= delta)
		return 0;
	epsilon = rough_epsilon(h, delta);
	for (int i = 0; i < 30; i++)
	{
		long double step;

		curve = gaussian_curve(h, epsilon);
		step = logl(curve.delta / delta) * curve.delta / curve.slope;
		if (!(fabsl(step) > epsilon * 0x1p-50L))
			break;
		epsilon = fmaxl(epsilon - step, 0);
	}
	for (int i = 0; i < 15; i++)
	{
		long double slack = ldexpl(1, 2 * i - 50);

		curve = gaussian_curve(h, epsilon * (1 + slack));
		if (curve.delta + curve.error <= delta)
			return epsilon * (1 + slack);
	}
	return INFINITY;
}

/*
 * The privacy curve of Gaussian noise falls in epsilon and grows with the variance: a history that
 * needs v is admitted by the epsilon at which that of v does not exceed delta.
 */
double
dp_accounting_variance_epsilon(const DpCurve *total, double delta)
{
	double		needed = dp_accounting_variance_needed(total);
	long double reduced = (long double) delta * (1 - DP_VARIANCE_SLACK);
	double		rest = (double) reduced;
	long double epsilon;
	double		h;

	if (rest > reduced)
		rest = nextafter(rest, 0);
	if (needed == 0)
		return 0;
	if (!(needed < INFINITY && rest > 0 && rest < 1))
		return INFINITY;
	h = dp_accounting_up(sqrtl(needed) * (1 + DP_PRODUCT_SLACK));
	epsilon = quick_epsilon(h, rest);
	return epsilon < INFINITY ? dp_accounting_up(epsilon) : dp_accounting_gdp_to_epsilon(h, rest);
}
