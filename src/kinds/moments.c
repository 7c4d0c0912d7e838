/* SPDX-License-Identifier: PostgreSQL */
/*
 * moments.c
 *	  Variance, covariance, correlation and regression: from aggregates as
 *	  written to totals of features (aggregate/moments.h), and from noisy totals to
 *	  statistics.
 *
 * A unit moves all of a release's totals by at most max_rows times what a row
 * adds to them together, in L1 and so in L2, whatever their number: they carry
 * noise of one scale each, and one term is charged.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "aggregate/estimate.h"
#include "aggregate/exact.h"
#include "aggregate/moments.h"
#include "draw/add_noise.h"
#include "expression/validate.h"
#include "from/contribution.h"
#include "kinds/kinds.h"
#include "pricing/aggregate_args.h"
#include "pricing/kind.h"
#include "pricing/release.h"
#include "pricing/statistic.h"
#include "pricing/total_cost.h"
#include "rewrite/interval.h"
#include "rewrite/released_value.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

/* Bits of noise beyond those that accounting's own grid gives it, if there is room. */
#define MORE_NOISE_BITS 10

/* Largest bound in grid units: leaves room for differences in 64 bits. */
#define MAX_BOUND_EXPONENT 61

/* One of the values: its bounds, on a grid. */
typedef struct Axis
{
	double		lower;
	double		upper;
	int			grid;
	int64		lower_place;
	int64		upper_place;
} Axis;

/* The moments a function needs, and what it makes of them. */
static const struct
{
	DpFunction	function;
	DpMomentsShape shape;
	DpStatistic statistic;
}			functions[] = {
	{DP_FUNCTION_VARIANCE, DP_MOMENTS_VARIANCE, DP_STATISTIC_VARIANCE},
	{DP_FUNCTION_STDDEV, DP_MOMENTS_VARIANCE, DP_STATISTIC_STDDEV},
	{DP_FUNCTION_COVAR_POP, DP_MOMENTS_COVARIANCE, DP_STATISTIC_COVAR_POP},
	{DP_FUNCTION_COVAR_SAMP, DP_MOMENTS_COVARIANCE, DP_STATISTIC_COVAR_SAMP},
	{DP_FUNCTION_CORR, DP_MOMENTS_CORRELATION, DP_STATISTIC_CORR},
	{DP_FUNCTION_SLOPE, DP_MOMENTS_SLOPE, DP_STATISTIC_SLOPE},
	{DP_FUNCTION_INTERCEPT, DP_MOMENTS_SLOPE, DP_STATISTIC_INTERCEPT},
};

/* Which of the functions above this is, or -1. */
static int
kind_of(const Aggref *aggref)
{
	DpFunction	function = dp_tree_function(aggref->aggfnoid);

	for (int i = 0; i < lengthof(functions); i++)
		if (functions[i].function == function)
			return i;
	return -1;
}

/*
 * An aggregate of moments has the number of their shape in place of a function, which
 * no aggregate of ours has.
 */
static Node *
made_of(Aggref *aggref)
{
	int			kind = kind_of(aggref);
	Aggref	   *moments;

	if (kind < 0)
		return (Node *) aggref;
	moments = makeNode(Aggref);
	*moments = *aggref;
	moments->aggfnoid = (Oid) functions[kind].shape;
	return (Node *) moments;
}

static Node *
argument(const Aggref *aggref, int n)
{
	return (Node *) list_nth_node(TargetEntry, aggref->args, n)->expr;
}

/* Read and check the bounds in arguments n and n + 1. */
static DpReason *
read_bounds(const Aggref *aggref, int n, const char *lower_name, const char *upper_name,
			const DpStatement *statement, Axis *axis)
{
	Node	   *lower = argument(aggref, n);
	DpReason   *reason = dp_pricing_read_number(lower, lower_name, statement, &axis->lower);

	if (reason == NULL)
		reason = dp_pricing_read_number(argument(aggref, n + 1), upper_name, statement, &axis->upper);
	if (reason == NULL && axis->lower > axis->upper)
		reason = dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(lower), NULL,
								   "lower bound must not be greater than upper bound");
	if (reason == NULL && !isfinite(axis->upper - axis->lower))
		reason = dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, aggref->location, NULL,
								   "bounds are too far apart");
	return reason;
}

/*
 * Put the bounds on a grid on which their distance has so many bits at most:
 * coarser where the bounds themselves would not fit.
 */
static void
place_bounds(Axis *axis, int bits)
{
	double		width = axis->upper - axis->lower;
	double		largest = Max(fabs(axis->lower), fabs(axis->upper));

	/* Rounding may push the bounds apart by one: a bit less leaves room. */
	if (width > 0)
		axis->grid = ilogb(width) + 2 - bits;
	if (largest > 0)
		axis->grid = Max(axis->grid, ilogb(largest) + 1 - MAX_BOUND_EXPONENT);
	axis->lower_place = (int64) rint(ldexp(axis->lower, -axis->grid));
	axis->upper_place = (int64) rint(ldexp(axis->upper, -axis->grid));
}

/* Write the bounds into the measure; `y` is one of a pair, else it has no width. */
static void
set_spec(DpMeasure *measure, const DpContribution *contribution, DpMomentsShape shape,
		 const Axis *x, const Axis *y)
{
	measure->lower = x->lower;
	measure->upper = x->upper;
	measure->lower_y = y->lower;
	measure->upper_y = y->upper;
	measure->moments = (DpMomentsSpec) {
		.shape = shape, .grid_x = x->grid, .grid_y = y->grid,
		.lower_x = x->lower_place, .upper_x = x->upper_place,
		.lower_y = y->lower_place, .upper_y = y->upper_place,
		.max_rows = contribution->max_rows
	};
}

/* K of aggregate/moments.h. */
static double
whole(const DpMomentsSpec *spec)
{
	return (double) dp_aggregate_moments_whole((DpMomentsShape) spec->shape, spec->upper_x - spec->lower_x,
											   spec->upper_y - spec->lower_y);
}

/*
 * How far a unit moves all totals together, exactly, in units of 2^shift.  Each total
 * is rounded to these, which can move it by less than one beyond that.
 */
static uint64
shifted_sensitivity(const DpMomentsSpec *spec, int shift, int features)
{
	DpMoment	sensitivity = dp_aggregate_moments_whole((DpMomentsShape) spec->shape,
														 spec->upper_x - spec->lower_x,
														 spec->upper_y - spec->lower_y) * (DpMoment) spec->max_rows;

	if (shift == 0)
		return Max((uint64) sensitivity, 1);
	return (uint64) (sensitivity >> shift) + 1 + features;
}

/*
 * Calibrate the noise of all totals.  These are exact in steps finer than the
 * sampler can draw for: they are released in units of 2^shift of them, in which
 * noise has some fifty bits.
 */
static DpReason *
calibrate(DpMeasure *measure, const DpContribution *contribution)
{
	DpRelease  *release = &measure->release;
	const DpMomentsSpec *spec = &measure->moments;
	DpMomentsShape shape = (DpMomentsShape) spec->shape;
	double		sensitivity = Max(whole(spec) * contribution->max_rows, 1);
	int			grid = dp_aggregate_moments_degree_x(shape) * spec->grid_x +
		dp_aggregate_moments_degree_y(shape) * spec->grid_y;
	int			coarse = dp_accounting_grid(contribution->pricing->mechanism, release->epsilon, release->delta,
											contribution->max_groups, 1, sensitivity, false);
	int			fine = Max(coarse - MORE_NOISE_BITS, ilogb(sensitivity) - 58);
	DpReason   *reason;

	release->features = dp_aggregate_moments_parts(shape);
	release->shift = Max(fine, 0);
	reason = dp_pricing_calibrate(release, 0, contribution, 1,
								  shifted_sensitivity(spec, release->shift, release->features),
								  grid + release->shift, measure->aggref->location);
	if (reason && coarse > fine)
	{
		release->shift = Max(coarse, 0);
		reason = dp_pricing_calibrate(release, 0, contribution, 1,
									  shifted_sensitivity(spec, release->shift, release->features),
									  grid + release->shift, measure->aggref->location);
	}
	release->width = (int64) ldexp(whole(spec), -release->shift);
	return reason;
}

/*
 * How price lines show the noise: as that of the variance or covariance times the number of
 * rows, at most, which is where all rows lie at a bound.  There c^2 or c d is a
 * combination of features of norm 1, or, in polynomials of higher degree,
 * sqrt(5/4) for each value of degree 2 that is taken linearly.
 */
static DpReason *
set_price(DpMeasure *measure)
{
	DpMomentsShape shape = (DpMomentsShape) measure->moments.shape;
	double		x = measure->upper - measure->lower;
	double		y = measure->upper_y - measure->lower_y;
	double		product = pow(x, dp_aggregate_moments_degree_x(shape)) * pow(y, dp_aggregate_moments_degree_y(shape));
	double		linear = 1;

	if (x > 0 && (shape == DP_MOMENTS_VARIANCE || y > 0))
	{
		if (!isfinite(product))
			return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location,
									 NULL, "bounds are too far apart");
		if (product < DBL_MIN)
			return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location,
									 NULL, "bounds are too close together");
	}
	if (shape == DP_MOMENTS_SLOPE || shape == DP_MOMENTS_CORRELATION)
		linear *= x > 0 ? x : 1;
	if (shape == DP_MOMENTS_CORRELATION)
		linear *= y > 0 ? y : 1;
	measure->release.unit = 1 / linear;
	measure->release.factor = (shape == DP_MOMENTS_SLOPE ? sqrt(1.25) :
							   shape == DP_MOMENTS_CORRELATION ? 1.25 : 1) / linear;
	return NULL;
}

/* Validate the value in argument n. */
static Node *
read_value(Query *block, const Aggref *aggref, int n, const DpStatement *statement, DpReason **reason)
{
	return *reason ? NULL : dp_expression_validate_expression(block, argument(aggref, n), statement, reason);
}

/* Is it a standard deviation, correlation or line, in whose unit no noise is? */
static bool
is_derived(DpStatistic statistic)
{
	return statistic != DP_STATISTIC_VARIANCE && statistic != DP_STATISTIC_COVAR_POP && statistic != DP_STATISTIC_COVAR_SAMP;
}

static DpReason *
measure_moments(Query *block, const DpContribution *contribution, const DpStatement *statement, DpMeasure *measure)
{
	Aggref	   *aggref = measure->aggref;
	DpMomentsShape shape = functions[kind_of(aggref)].shape;
	bool		pair = shape != DP_MOMENTS_VARIANCE;
	Axis		x = {0};
	Axis		y = {0};
	double		epsilon;
	DpReason   *reason;

	if (aggref->aggdistinct)
		return dp_tree_reason(aggref->location, "Leave DISTINCT out.",
							  "DISTINCT is not allowed in this aggregate");
	if (pair)
	{
		reason = read_bounds(aggref, 2, "lower bound of y", "upper bound of y", statement, &y);
		if (reason == NULL)
			reason = read_bounds(aggref, 4, "lower bound of x", "upper bound of x", statement, &x);
	}
	else
		reason = read_bounds(aggref, 1, "lower bound", "upper bound", statement, &x);
	if (reason == NULL)
		reason = dp_pricing_read_epsilon(aggref, pair ? 6 : 3, statement, &epsilon);
	if (pair)
		measure->value_y = read_value(block, aggref, 0, statement, &reason);
	measure->value = read_value(block, aggref, pair ? 1 : 0, statement, &reason);
	if (reason)
		return reason;
	measure->value_type = exprType(measure->value);
	place_bounds(&x, dp_aggregate_moments_bits(shape));
	if (pair)
		place_bounds(&y, dp_aggregate_moments_bits(shape));
	set_spec(measure, contribution, shape, &x, &y);
	dp_pricing_init_release(contribution->pricing, &measure->release, &dp_kinds_moments, epsilon);
	measure->release.derived = is_derived(functions[kind_of(aggref)].statistic);
	reason = set_price(measure);
	return reason ? reason : calibrate(measure, contribution);
}

/* Arguments of the exact aggregates: values and bounds. */
static List *
exact_arguments(const DpMeasure *measure)
{
	Const	   *spec = dp_tree_make_bytea(&measure->moments, sizeof(DpMomentsSpec));
	Oid			types[] = {FLOAT8OID, FLOAT8OID, BYTEAOID};
	Node	   *value = copyObject(measure->value);

	if (measure->value_y)
		value = (Node *) dp_tree_make_call("place_pair", types, lengthof(types),
										   list_make3(copyObject(measure->value_y), value,
													  copyObject(spec)), INT8OID);
	return list_make2(value, spec);
}

/* As set_price() works it out. */
static double
factor(const DpRelease *release)
{
	return release->factor;
}

/* All totals tell them together. */
static DpToldRows
told_rows(const DpRelease *release)
{
	return (DpToldRows) {.count = release->features, .noise = &release->noise[0], .row = (double) release->width};
}

static Node *
exact(DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	return (Node *) dp_tree_make_aggregate("exact_moments", exact_arguments(measure), BYTEAOID);
}

static void
ask(const DpMeasure *measure, DpUnitsAsk *ask, Node **value)
{
	const DpMomentsSpec *spec = &measure->moments;

	ask->kind = DP_UNITS_MOMENTS;
	ask->shape = spec->shape;
	ask->upper = spec->upper_x;
	ask->lower = spec->lower_x;
	ask->width_y = spec->upper_y - spec->lower_y;
	ask->grid = measure->value_y ? 0 : spec->grid_x;
	*value = linitial(exact_arguments(measure));
}

static Datum
draw(const DpRelease *release, Oid type, Datum value, bool isnull, const DpSharedDraw *shared, DpInt128 *units,
	 bool *none)
{
	DpInt128	totals[DP_MOMENTS_MOST];

	dp_draw_read_exact(release, type, value, isnull, totals);
	dp_draw_add_to_each(release, totals);
	return PointerGetDatum(dp_aggregate_make_totals(release->features, totals));
}

/* A variance's totals tell a mean too. */
static bool
can_carry(const DpMeasure *measure)
{
	return measure->moments.shape == DP_MOMENTS_VARIANCE;
}

/* The weights of a variance's three totals in a count or sum. */
static void
weigh(const DpMeasure *carrier, bool count, double *weight)
{
	const DpMomentsSpec *spec = &carrier->moments;
	double		width = (double) (spec->upper_x - spec->lower_x);
	double		share = ldexp(1, carrier->release.shift) / (width * width);
	double		lower = ldexp((double) spec->lower_x, spec->grid_x);
	double		upper = ldexp((double) spec->upper_x, spec->grid_x);

	weight[0] = share * (count ? 1 : lower);
	weight[1] = share * (count ? 1 : lower / 2 + upper / 2);
	weight[2] = share * (count ? 1 : upper);
}

static Node *
value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	return dp_pricing_released_statistic(measure, aggref, dp_rewrite_totals_of_rows(rewrite, number));
}

/* The aggregate may be a mean that is answered from a variance's totals. */
static void
estimate(const DpMeasure *measure, const Aggref *aggref, DpEstimate *estimate)
{
	estimate->with_variance = kind_of(aggref) < 0;
	estimate->statistic = estimate->with_variance ? DP_STATISTIC_MEAN : functions[kind_of(aggref)].statistic;
	estimate->shape = measure->moments.shape;
	estimate->unit = ldexp(whole(&measure->moments), -measure->release.shift);
}

/* Those of the table above. */
static const DpFunction asked_by[] = {DP_FUNCTION_VARIANCE, DP_FUNCTION_STDDEV, DP_FUNCTION_COVAR_POP, DP_FUNCTION_COVAR_SAMP,
DP_FUNCTION_CORR, DP_FUNCTION_SLOPE, DP_FUNCTION_INTERCEPT, DP_FUNCTION_OTHER};

const DpKind dp_kinds_moments = {
	.number = DP_RELEASE_MOMENTS,
	.over_rows = true,
	.in_unit = true,
	.factor = factor,
	.scale = dp_pricing_scale_release,
	.told_rows = told_rows,
	.suits_aggregates = true,
	.exact = exact,
	.ask = ask,
	.draw = draw,
	.functions = asked_by,
	.measure = measure_moments,
	.made_of = made_of,
	.carries = 1,
	.can_carry = can_carry,
	.recalibrate = calibrate,
	.weigh = weigh,
	.value = value,
	.interval = dp_rewrite_statistic_interval,
	.estimate = estimate,
};
