/*
 * pld.c
 *	  Exact composition by privacy-loss distributions.
 *
 * pld_list.c says what distributions; loss.h why the result is certified.
 */
#include "accounting/pld.h"

#include "accounting/loss.h"
#include "accounting/pld_list.h"
#include "accounting/privacy_curve.h"
#include "accounting/rounding.h"

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

/* What conversion from Renyi orders gives. */
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
		moment = dp_accounting_pld_log_moment(list, tilt[i]);
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
	bound = fminl(fmaxl(conversion.epsilon, 0), dp_accounting_pld_greatest_loss(list));
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
		if ((wrong = dp_accounting_pld_check(&releases[i])) != NULL)
			return wrong;

	list.part = services->allocate((n + 1) * sizeof(DpPldRelease));
	dp_accounting_pld_sort(&list, releases, n, delta);
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
