/* SPDX-License-Identifier: PostgreSQL */
/*
 * loss.c
 *	  Privacy-loss distributions, tilted, on a grid.
 *
 * Splitting a loss l = top - b onto top and top - h keeps its mass under P and
 * under Q (which is exp(-l) times that) with the weights
 *
 *	 upper = (1 - exp(b - h)) / (1 - exp(-h)),  lower = 1 - upper.
 */
#include <string.h>

#include "accounting/loss.h"
#include "accounting/rounding.h"

static DpLoss loss_make(DpLossWork *work, const long double *weight, int points,
						long double top, long double step, long double log_scale,
						long double lost, long double raise);

/* Shorter arrays are convolved term by term. */
#define DIRECT_POINTS 64

/* Relative slack of sums of masses. */
#define SUM_SLACK 0x1p-40L

/* Relative slack of what is computed in long double with arguments below 2^4. */
#define SLACK 0x1p-58L

void
dp_accounting_loss_split(const DpLossWork *work, long double step, long double below,
						 long double *upper, long double *lower)
{
	long double all = expm1l(-step);

	*upper = expl(work->theta * below) * (expm1l(below - step) / all);
	*lower = expl((1 + work->theta) * (below - step)) * (expm1l(-below) / all);
}

/* A distribution with all masses zero. */
static DpLoss
allocate_loss(DpLossWork *work, int points, long double top, long double step)
{
	DpLoss		loss = {.points = points, .top = top, .step = step};

	loss.mass = work->services->allocate(points * sizeof(double));
	memset(loss.mass, 0, points * sizeof(double));
	return loss;
}

void
dp_accounting_loss_free(DpLossWork *work, DpLoss *loss)
{
	work->services->release(loss->mass);
	loss->mass = NULL;
}

/* The largest loss of the grid, by its absolute value. */
static long double
extent(const DpLoss *loss)
{
	return fabsl(loss->top) + loss->points * loss->step;
}

/* The sum of all masses, rounded up. */
static long double
total_mass(const DpLoss *loss)
{
	long double total = 0;

	for (int i = 0; i < loss->points; i++)
		total += loss->mass[i];
	return total * (1 + SUM_SLACK);
}

/*
 * A distribution from tilted masses weight(l) = exp(theta l - log_scale) P'(l),
 * each right within 2^-58 (1 + theta) |l| relative; `lost` and `raise` beyond
 * that.
 */
static DpLoss
loss_make(DpLossWork *work, const long double *weight, int points,
		  long double top, long double step, long double log_scale,
		  long double lost, long double raise)
{
	DpLoss		loss = allocate_loss(work, points, top, step);
	long double total = 0;

	for (int i = 0; i < points; i++)
		total += weight[i];
	if (!(total > 0))
	{
		total = 1;
		lost = INFINITY;
	}
	for (int i = 0; i < points; i++)
		loss.mass[i] = (double) (weight[i] / total);

	loss.log_scale = log_scale + logl(total);
	loss.raise = raise + SLACK * extent(&loss);
	loss.lost = lost / total + 0x1p-52L +
		SLACK * ((1 + work->theta) * extent(&loss) + fabsl(log_scale) + 16);
	return loss;
}

/* Cut off what is at either end and has a total of at most `cut`. */
static void
cut_ends(DpLoss *loss, long double cut)
{
	long double low = 0;
	long double high = 0;
	int			first = 0;
	int			last = loss->points - 1;

	while (first < last && low + loss->mass[first] <= cut)
		low += loss->mass[first++];
	while (last > first && high + loss->mass[last] <= cut)
		high += loss->mass[last--];

	loss->top -= (loss->points - 1 - last) * loss->step;
	loss->raise += SLACK * extent(loss);
	loss->points = last - first + 1;
	loss->lost += (low + high) * (1 + SUM_SLACK);
	memmove(loss->mass, loss->mass + first, loss->points * sizeof(double));
}

/*
 * The convolution term by term: nonnegative terms, so that each sum is right
 * within (terms + 1) 2^-53 relative.  Returns a bound for the sum of errors.
 */
static long double
convolve_directly(const DpLoss *a, const DpLoss *b, DpLoss *sum)
{
	for (int i = 0; i < a->points; i++)
		for (int j = 0; j < b->points; j++)
			sum->mass[i + j] += a->mass[i] * b->mass[j];
	return (fminl(a->points, b->points) + 2) * 0x1p-53L * total_mass(a) * total_mass(b);
}

/* Have roots for transforms of this length. */
static void
provide_roots(DpLossWork *work, int length)
{
	if (length <= work->roots_length)
		return;
	if (work->roots != NULL)
		work->services->release(work->roots);
	work->roots = work->services->allocate(length * sizeof(DpFftPoint));
	work->roots_length = length;
	dp_accounting_fft_roots(work->roots, length);
}

/*
 * The convolution as half the imaginary part of (a + ib) * (a + ib).  Returns a
 * bound for the sum of errors: by Cauchy's inequality the root of their number
 * times their Euclidean norm.
 */
static long double
convolve_fast(DpLossWork *work, const DpLoss *a, const DpLoss *b, DpLoss *sum)
{
	int			length = 2;
	long double squares = 0;
	DpFftPoint *z;

	while (length < sum->points)
		length *= 2;
	provide_roots(work, length);
	z = work->services->allocate(length * sizeof(DpFftPoint));
	for (int i = 0; i < length; i++)
	{
		z[i].re = i < a->points ? a->mass[i] : 0;
		z[i].im = i < b->points ? b->mass[i] : 0;
		squares += (long double) z[i].re * z[i].re + (long double) z[i].im * z[i].im;
	}
	dp_accounting_fft_autoconvolve(z, length, work->roots);
	for (int i = 0; i < sum->points; i++)
		sum->mass[i] = fmax(z[i].im / 2, 0);
	work->services->release(z);

	return dp_accounting_fft_error(length) / 2 * (total_mass(a) + total_mass(b)) *
		sqrtl(squares * sum->points) * (1 + SUM_SLACK);
}

/* Thin out the grid until it has no more than the points allowed. */
static void
limit_points(DpLossWork *work, DpLoss *loss)
{
	while (loss->points > work->max_points)
		dp_accounting_loss_regrid(work, loss, 2 * loss->step);
}

/*
 * The sum of two independent losses.  What was lost of either meets at most
 * all of the other; ends that are not above the rounding errors are cut off
 * with them.
 */
DpLoss
dp_accounting_loss_add(DpLossWork *work, const DpLoss *a, const DpLoss *b, long double cut)
{
	DpLoss		sum = allocate_loss(work, a->points + b->points - 1, a->top + b->top, a->step);
	long double error;

	work->services->check();
	if (a->points <= DIRECT_POINTS || b->points <= DIRECT_POINTS)
		error = convolve_directly(a, b, &sum);
	else
		error = convolve_fast(work, a, b, &sum);

	sum.log_scale = a->log_scale + b->log_scale;
	sum.raise = a->raise + b->raise;
	sum.lost = (total_mass(a) * b->lost + total_mass(b) * a->lost + a->lost * b->lost) *
		(1 + SUM_SLACK) + error;
	cut_ends(&sum, fmaxl(cut, error));
	limit_points(work, &sum);
	return sum;
}

/* *loss = its sum with another, on the grid of that. */
static void
add_to(DpLossWork *work, DpLoss *loss, const DpLoss *other, long double cut)
{
	DpLoss		sum;

	if (loss->step != other->step)
		dp_accounting_loss_regrid(work, loss, other->step);
	sum = dp_accounting_loss_add(work, loss, other, cut);
	dp_accounting_loss_free(work, loss);
	*loss = sum;
}

/*
 * The sum of `count` independent losses, from powers of two.  What is cut off a
 * power counts as often as it enters the result, so that much less is cut.
 */
void
dp_accounting_loss_multiply(DpLossWork *work, DpLoss *loss, int64_t count, long double cut)
{
	DpLoss		power = *loss;
	bool		started = false;

	for (; count > 0; count /= 2)
	{
		if (count % 2 == 1)
		{
			if (started)
				add_to(work, loss, &power, cut);
			else
			{
				*loss = power;
				loss->mass = work->services->allocate(power.points * sizeof(double));
				memcpy(loss->mass, power.mass, power.points * sizeof(double));
			}
			started = true;
		}
		if (count > 1)
			add_to(work, &power, &power, cut / count);
	}
	dp_accounting_loss_free(work, &power);
}

/*
 * Put a distribution onto a grid of another step.  Positions are right within
 * 2^-62 of the extent, which `raise` covers; distances within that are equal.
 */
void
dp_accounting_loss_regrid(DpLossWork *work, DpLoss *loss, long double step)
{
	long double range = (loss->points - 1) * loss->step;
	int			points = (int) ceill(range / step) + 2;
	long double snap = 0x1p-60L * (range + step);
	long double *weight = work->services->allocate(points * sizeof(long double));
	long double last = -1;
	long double upper = 0;
	long double lower = 0;
	DpLoss		result;

	memset(weight, 0, points * sizeof(long double));
	for (int i = 0; i < loss->points; i++)
	{
		long double distance = (loss->points - 1 - i) * loss->step;
		int			cell = (int) (distance / step);
		long double below = fminl(fmaxl(distance - cell * step, 0), step);

		if (fabsl(below - last) > snap)
		{
			dp_accounting_loss_split(work, step, below, &upper, &lower);
			last = below;
		}
		weight[points - 1 - cell] += loss->mass[i] * upper;
		weight[points - 2 - cell] += loss->mass[i] * lower;
	}
	result = loss_make(work, weight, points, loss->top, step, loss->log_scale,
					   loss->lost, loss->raise + 2 * snap);
	work->services->release(weight);
	dp_accounting_loss_free(work, loss);
	*loss = result;
	cut_ends(loss, 0);
}

/*
 * Delta, relative to the one allowed, at epsilon = l - x within the cell below l,
 * where 0 <= x <= step; see below.
 */
typedef struct Cell
{
	long double spent;
	long double weight;
	long double doubt;
	long double theta;
} Cell;

static long double
delta_below(const Cell *cell, long double x)
{
	return cell->spent - expm1l(-x) * cell->weight + cell->doubt * expl(cell->theta * x);
}

/* The greatest x, rounded down, at which delta is allowed; it is so at 0. */
static long double
allowed_below(const Cell *cell, long double step)
{
	long double low = 0;
	long double high = step;

	for (int i = 0; i < 80; i++)
	{
		long double middle = (low + high) / 2;

		if (delta_below(cell, middle) <= 1)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * The least epsilon with delta(epsilon) <= delta, from the top down.
 *
 * Relative to the delta allowed, at the point l just reached: spent = delta(l)
 * and above = sum over m > l of exp(l - m) P(m), both without what was lost.
 * With weight = above + P(l) we have
 *	 delta(l - x) = spent + (1 - exp(-x)) weight for 0 <= x <= step,
 * and no difference is taken anywhere.  What was lost adds at most
 *	 lost exp(log_scale - theta epsilon) / (1 + theta),
 * because exp(-theta x) (1 - exp(-x)) <= 1 / (1 + theta).
 */
long double
dp_accounting_loss_epsilon(const DpLossWork *work, const DpLoss *loss, long double delta)
{
	long double theta = work->theta;
	long double slack = SLACK * (fabsl(loss->log_scale) + theta * extent(loss) + 16 +
								 extent(loss) / loss->step);
	long double scale = loss->log_scale - logl(delta) + slack;
	long double doubt = loss->lost / (1 + theta);
	long double l = loss->top;
	Cell		cell = {.theta = theta};

	if (!(doubt * expl(scale - theta * l) < 1))
		return fmaxl(l + (scale + logl(doubt)) / theta, 0) + loss->raise;

	for (int64_t i = 0; l > 0; i++)
	{
		long double unit = expl(scale - theta * l);

		if (i < loss->points)
			cell.weight += loss->mass[loss->points - 1 - i] * unit;
		cell.doubt = doubt * unit;
		if (!(delta_below(&cell, loss->step) <= 1))
			return fmaxl(l - allowed_below(&cell, loss->step), 0) + loss->raise;
		cell.spent -= expm1l(-loss->step) * cell.weight;
		cell.weight *= expl(-loss->step);
		l = loss->top - (i + 1) * loss->step;
	}
	return loss->raise;
}

/*
 * The privacy losses of single releases.  Declared in loss.h.
 *
 * One direction suffices.  Noise Z is symmetric, so the reflection z -> D - z
 * exchanges the laws of Z and of Z + D: adding and removing a unit have the same
 * delta(epsilon), and so have all their compositions.  A unit that moves the
 * total by less than D costs no more: the noise is log-concave, so the best
 * test of Z against Z + d rejects above a threshold, and then its power grows
 * with d at every level.
 */

/* Relative error of the sums and differences of probabilities below. */
#define PROBABILITY_SLACK 0x1p-50L

/* Cells that losses of continuous kind are put into, per standard deviation. */
#define GAUSSIAN_CELLS 64
#define DISCRETE_GAUSSIAN_CELLS 32

/* Half the cells of a Laplace loss: in all, and per unit of loss. */
#define LAPLACE_MIN_CELLS 64
#define LAPLACE_MAX_CELLS 4096
#define LAPLACE_CELLS 32

/* How far tilted Gaussian losses are followed, in standard deviations. */
#define REACH 10
#define REACH_LOST 0x1p-70L		/* three times exp(-REACH^2 / 2) */
#define SQRT_HALF 0.707106781186547524400844362104849039L

static long double *
allocate_weights(DpLossWork *work, int points)
{
	long double *weight = work->services->allocate(points * sizeof(long double));

	memset(weight, 0, points * sizeof(long double));
	return weight;
}

/*
 * Put a tilted mass, exp(theta loss) P, with a loss `below` that of point i onto
 * points i and i - 1.
 */
static void
add_weight(const DpLossWork *work, long double *weight, int i, long double step,
		   long double below, long double mass)
{
	long double upper;
	long double lower;

	dp_accounting_loss_split(work, step, below, &upper, &lower);
	weight[i] += mass * upper;
	weight[i - 1] += mass * lower;
}

/*
 * Discrete Laplace: P[Z = z] = tanh(s/2) exp(-s|z|), loss s (|z - D| - |z|).
 *
 * The loss is x = s D for z <= 0, -x for z >= D and x - 2 s z between, in all
 * D + 1 values.  Up to so many cells they are the grid; else the z between
 * are gathered into cells, z = a .. b in cell j when j D/m < z <= (j + 1) D/m.
 * There P is exp(-s a) (1 - exp(-s (b - a + 1))) / (1 + exp(-s)), and Q is
 * exp(-s (D - a - b)) times that, as if all losses were s (a + b - 2 j D/m) below
 * the cell's upper point.
 */
DpLoss
dp_accounting_loss_laplace(DpLossWork *work, long double s, uint64_t sensitivity)
{
	unsigned __int128 d = sensitivity;
	long double x = s * sensitivity;
	int			wanted = (int) fminl(fmaxl(LAPLACE_CELLS * x, LAPLACE_MIN_CELLS), LAPLACE_MAX_CELLS);
	int			m = (int) fminl(wanted, sensitivity);
	long double step = 2 * x / m;
	long double norm = 1 / (1 + expl(-s));
	long double *weight = allocate_weights(work, m + 1);
	DpLoss		loss;

	weight[m] = norm;
	weight[0] = norm * expl(-(1 + 2 * work->theta) * x);
	for (int j = 0; j < m; j++)
	{
		uint64_t	a = (uint64_t) (j * d / m + 1);
		uint64_t	b = j == m - 1 ? sensitivity - 1 : (uint64_t) ((j + 1) * d / m);
		unsigned __int128 excess = m * ((unsigned __int128) a + b) - 2 * j * d;
		long double below = fminl(s * excess / m, step);

		if (a <= b)
			add_weight(work, weight, m - j, step, below,
					   norm * expl(-s * a - work->theta * (j * step + below)) *
					   -expm1l(-s * (long double) (b - a + 1)));
	}
	loss = loss_make(work, weight, m + 1, x, step, work->theta * x, 0, 0);
	work->services->release(weight);
	return loss;
}

/* Cells of a loss of bounded range: at least, and per unit of loss. */
#define RANGE_MIN_CELLS 128
#define RANGE_MAX_CELLS 8192
#define RANGE_CELLS 64

/*
 * Bounded range e: the density of the loss is exp(l/2) / (4 sinh(e/2)) on -e .. e under P, and
 * exp(-l/2) instead of exp(l/2) under Q.  In a cell between grid points the masses under P and Q have
 * the quotient exp(l) of its middle l, as if all losses were there.
 */
DpLoss
dp_accounting_loss_range(DpLossWork *work, long double range)
{
	int			cells = (int) fminl(fmaxl(RANGE_CELLS * range, RANGE_MIN_CELLS), RANGE_MAX_CELLS);
	long double step = 2 * range / cells;
	long double part = expm1l(-step / 2) / expm1l(-range);
	long double *weight = allocate_weights(work, cells + 1);
	DpLoss		loss;

	for (int j = 0; j < cells; j++)
		add_weight(work, weight, cells - j, step, step / 2,
				   part * expl(-(j / 2.0L + work->theta * (j + 0.5L)) * step));
	loss = loss_make(work, weight, cells + 1, range, step, work->theta * range, 0, 0);
	work->services->release(weight);
	return loss;
}

/*
 * Above threshold, x = epsilon: with c = 1 / (1 - exp(-3 x/2)) the ratio exp(x) has the probability
 * c (1 - exp(-x/2)) under P where the other is exp(-x/2), and delta is the greater of that law's and of
 * the one with exp(x/2) and exp(-x).  They are equal at epsilon 0, so the losses of the pair that has
 * both are x, 0 and -x, the last with exp(-x) times the probability of the first.
 */
DpLoss
dp_accounting_loss_above_threshold(DpLossWork *work, long double epsilon)
{
	long double up = expm1l(-epsilon / 2) / expm1l(-1.5L * epsilon);
	long double down = up * expl(-epsilon);
	long double *weight = allocate_weights(work, 3);
	DpLoss		loss;

	weight[2] = up;
	weight[1] = (1 - up - down) * expl(-work->theta * epsilon);
	weight[0] = down * expl(-2 * work->theta * epsilon);
	loss = loss_make(work, weight, 3, epsilon, epsilon, work->theta * epsilon, 0, 0);
	work->services->release(weight);
	return loss;
}

/* The sum of exp(-z^2 / 2 sigma^2) over all integers. */
static long double
discrete_gaussian_total(long double sigma)
{
	long double total = 1;

	for (int z = (int) (12 * sigma) + 1; z >= 1; z--)
		total += 2 * expl(-(z / sigma) * (z / sigma) / 2);
	return total;
}

/*
 * Discrete Gaussian with mu = D / sigma, P[Z = z] = exp(-z^2 / 2 sigma^2) / total,
 * loss k (D/2 - z) with k = D / sigma^2.
 *
 * Tilted, it is a discrete Gaussian again, around -theta D:
 *	 exp(theta loss) P[Z = z] =
 *	 exp(theta (theta + 1) mu^2 / 2 - (z + theta D)^2 / 2 sigma^2) / total.
 * Integers are gathered by w from each multiple of w on, whose loss is a point
 * of the grid; w = 1 up to sigma = 32.  Beyond REACH sigma + 1 around the
 * center lies less than REACH_LOST of all, times exp(theta step) when split.
 */
DpLoss
dp_accounting_loss_discrete_gaussian(DpLossWork *work, long double sigma, uint64_t sensitivity)
{
	long double theta = work->theta;
	long double mu = sensitivity / sigma;
	long double k = mu / sigma;
	int			w = (int) ceill(sigma / DISCRETE_GAUSSIAN_CELLS);
	long double center = -theta * sensitivity;
	long double first = floorl((center - REACH * sigma - 1) / w);
	int			blocks = (int) ((2 * (REACH * sigma + 1)) / w) + 2;
	long double *weight = allocate_weights(work, blocks + 1);
	DpLoss		loss;

	for (int block = 0; block < blocks; block++)
		for (int y = 0; y < w; y++)
		{
			long double distance = ((first + block) * w + y - center) / sigma;

			add_weight(work, weight, blocks - block, k * w, k * y, expl(-distance * distance / 2));
		}
	loss = loss_make(work, weight, blocks + 1,
					 k * (sensitivity / 2.0L - first * w), k * w,
					 theta * (theta + 1) * mu * mu / 2 - logl(discrete_gaussian_total(sigma)),
					 0, 0);
	loss.lost += REACH_LOST * expl(theta * k * w);
	work->services->release(weight);
	return loss;
}

/* P[a <= N(0,1) <= b] for a < b, from the nearer tail. */
static long double
normal_between(long double a, long double b)
{
	if (a >= 0)
		return (erfcl(a * SQRT_HALF) - erfcl(b * SQRT_HALF)) / 2;
	if (b <= 0)
		return normal_between(-b, -a);
	return (erfl(b * SQRT_HALF) - erfl(a * SQRT_HALF)) / 2;
}

/*
 * Gaussian: the loss is mu^2/2 + mu G with a standard normal G under P, and
 * mu (G + mu) - mu^2/2 under Q.
 *
 * In a cell below the grid point u, the mass under P is p and under Q is q:
 * together as if all losses were log(q/p) + u below u.  That is rounded towards u,
 * which is the safe side, by more than its error: p and q are right within
 * PROBABILITY_SLACK and what the rounding of G makes of them.  Tilted, losses are
 * normal around (theta + 1/2) mu^2, with the same standard deviation mu.
 */
DpLoss
dp_accounting_loss_gaussian(DpLossWork *work, long double mu, long double excess)
{
	long double theta = work->theta;
	long double step = mu / GAUSSIAN_CELLS;
	long double log_moment = theta * (theta + 1) * mu * mu / 2;
	int			cells = 2 * REACH * GAUSSIAN_CELLS;
	long double top = (theta + 0.5L) * mu * mu + REACH * mu;
	long double *weight = allocate_weights(work, cells + 1);
	long double lost = 2 * REACH_LOST * expl(theta * step);
	DpLoss		loss;

	for (int j = 0; j < cells; j++)
	{
		long double u = top - j * step;
		long double g = theta * mu + REACH - (long double) j / GAUSSIAN_CELLS;
		long double p = normal_between(g - 1.0L / GAUSSIAN_CELLS, g);
		long double q = normal_between(g + mu - 1.0L / GAUSSIAN_CELLS, g + mu);
		long double error = PROBABILITY_SLACK + 0x1p-58L * (g * g + (g + mu) * (g + mu) + fabsl(u));
		long double below = q > 0 ? fminl(fmaxl(logl(q) + u - logl(p) - error, 0), step) : 0;
		long double mass = expl(logl(p) + theta * (u - below) - log_moment);

		add_weight(work, weight, cells - j, step, below, mass);
		lost += p > 0 ? error * mass * expl(theta * step) : INFINITY;
	}
	loss = loss_make(work, weight, cells + 1, top, step, log_moment + excess, lost, 0);
	work->services->release(weight);
	return loss;
}
