/*
 * loss_mechanism.c
 *	  The privacy losses of single releases.  Declared in loss.h.
 *
 * One direction suffices.  Noise Z is symmetric, so the reflection z -> D - z
 * exchanges the laws of Z and of Z + D: adding and removing a unit have the same
 * delta(epsilon), and so have all their compositions.  A unit that moves the
 * total by less than D costs no more: the noise is log-concave, so the best
 * test of Z against Z + d rejects above a threshold, and then its power grows
 * with d at every level.
 */
#include "accounting/loss.h"

#include <string.h>

#include "accounting/rounding.h"

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
	loss = dp_accounting_loss_make(work, weight, m + 1, x, step, work->theta * x, 0, 0);
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
	loss = dp_accounting_loss_make(work, weight, blocks + 1,
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
	loss = dp_accounting_loss_make(work, weight, cells + 1, top, step, log_moment + excess, lost, 0);
	work->services->release(weight);
	return loss;
}
