/* SPDX-License-Identifier: PostgreSQL */
/*
 * quantile.c
 *	  Quantiles, and the least and greatest values: points drawn by their ranks; see
 *	  pricing/quantile.h.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"

#include "aggregate/exact.h"
#include "draw/draw_levels.h"
#include "expression/fold_constants.h"
#include "expression/validate.h"
#include "from/contribution.h"
#include "kinds/kinds.h"
#include "pricing/aggregate_args.h"
#include "pricing/half_width.h"
#include "pricing/kind.h"
#include "pricing/quantile.h"
#include "pricing/release.h"
#include "pricing/total_cost.h"
#include "pricing/value_range.h"
#include "rewrite/interval.h"
#include "rewrite/quantile_interval.h"
#include "rewrite/released_value.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

/* Without a step of the analyst's own, at most so many. */
#define DEFAULT_STEPS 65536

/* Fractions are multiples of 2^-30. */
#define FRACTION_BITS 30

/* Scores are counted in 2^-10 rows at least, so that what is constant in them is not coarse. */
#define LEAST_BITS 10

/* A fraction is rounded further only from so many of its last digit on. */
#define LEAST_ROUNDED 2048

/* A step is 2^20 grid units where bounds allow, and 2^8 at least. */
#define STEP_BITS 20
#define LEAST_STEP_BITS 8

/* Numeric values are read fast on grids of 2^-5 and finer. */
#define QUICK_GRID (-5)
#define QUICK_STEP_BITS 23

/* Bounds have at most so many bits on the grid. */
#define BOUND_BITS 61

/* Are a step's deviations from a whole part of the range mere rounding? */
#define STEP_SLACK 1e-12

/* The value as the analyst wrote it, without the cast to float8 the parser added. */
static Node *
uncast(Node *value)
{
	FuncExpr   *cast = (FuncExpr *) value;

	if (!IsA(value, FuncExpr) || cast->funcformat != COERCE_IMPLICIT_CAST)
		return value;
	switch (cast->funcid)
	{
		case F_FLOAT8_INT2:
		case F_FLOAT8_INT4:
		case F_FLOAT8_INT8:
		case F_FLOAT8_FLOAT4:
		case F_FLOAT8_NUMERIC:
			return linitial(cast->args);
		default:
			return value;
	}
}

/* Are values of this type whole numbers, be it of days or microseconds? */
static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == DATEOID || dp_pricing_is_timestamp(type);
}

/* The i-th argument, or NULL. */
static Node *
argument(Aggref *aggref, int i)
{
	if (i >= list_length(aggref->args))
		return NULL;
	return (Node *) list_nth_node(TargetEntry, aggref->args, i)->expr;
}

/* The fraction asked for, as fraction / 2^fraction_bits. */
static DpReason *
read_fraction(Aggref *aggref, const DpStatement *statement, DpQuantileRank *rank)
{
	DpFunction	function = dp_tree_function(aggref->aggfnoid);
	double		fraction = function == DP_FUNCTION_MEDIAN ? 0.5 : function == DP_FUNCTION_MAX;

	if (function == DP_FUNCTION_QUANTILE)
	{
		Node	   *arg = argument(aggref, 1);
		DpReason   *reason = dp_pricing_read_number(arg, "fraction", statement, &fraction);

		if (reason)
			return reason;
		if (!(fraction >= 0 && fraction <= 1))
			return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(arg), NULL,
									 "fraction must be between 0 and 1");
	}
	rank->fraction = (uint32) rint(ldexp(fraction, FRACTION_BITS));
	rank->fraction_bits = FRACTION_BITS;
	while (rank->fraction_bits > LEAST_BITS && rank->fraction % 2 == 0)
	{
		rank->fraction /= 2;
		rank->fraction_bits--;
	}
	return NULL;
}

/*
 * The least of 1, 2, 5, 10, ... times a power of ten, of integers at least 1,
 * that divides the range into at most DEFAULT_STEPS.
 */
static double
default_step(double range, bool integer)
{
	static const double digit[] = {1, 2, 5};
	int			power = (int) floor(log10(range / DEFAULT_STEPS)) - 1;

	if (integer && power < 0)
		power = 0;
	for (;; power++)
	{
		for (int i = 0; i < lengthof(digit); i++)
		{
			double		step = power < 0 ? digit[i] / pow(10, -power) : digit[i] * pow(10, power);

			if (range / step <= DEFAULT_STEPS * (1 + STEP_SLACK))
				return step;
		}
	}
}

/* That of a range of times in microseconds: as long as a clock or calendar has a name for. */
static double
default_time_step(double range)
{
	static const int seconds[] = {1, 2, 5, 10, 30, SECS_PER_MINUTE, 2 * SECS_PER_MINUTE,
		5 * SECS_PER_MINUTE, 10 * SECS_PER_MINUTE, 30 * SECS_PER_MINUTE, SECS_PER_HOUR,
	2 * SECS_PER_HOUR, 6 * SECS_PER_HOUR, 12 * SECS_PER_HOUR};
	const double second = (double) USECS_PER_SEC;
	const double day = (double) USECS_PER_DAY;

	if (range <= second * DEFAULT_STEPS)
		return default_step(range, true);
	for (int i = 0; i < lengthof(seconds); i++)
		if (range <= second * seconds[i] * DEFAULT_STEPS)
			return second * seconds[i];
	return day * default_step(range / day, true);
}

/* The step of an aggregate that asks for none. */
static double
step_of_range(double range, Oid type)
{
	if (range == 0)
		return 1;
	if (dp_pricing_is_timestamp(type))
		return default_time_step(range);
	return default_step(range, is_integer(type));
}

/*
 * Set step and number of cells: as asked, or made smaller so that a whole number of
 * steps is the range.  For dates and timestamps the last step is shorter instead.
 */
static DpReason *
set_step(DpMeasure *measure, Node *arg, const DpStatement *statement)
{
	DpQuantile *quantile = measure->quantile;
	double		range = quantile->upper - quantile->lower;
	double		steps;
	DpReason   *reason;

	if (!isfinite(range))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location, NULL,
								 "bounds are too far apart");
	if (arg == NULL)
		quantile->step = step_of_range(range, measure->value_type);
	else
	{
		reason = dp_pricing_read_number(arg, "step", statement, &quantile->step);
		if (reason)
			return reason;
		if (!(quantile->step > 0))
			return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(arg), NULL,
									 "step must be greater than 0");
	}
	steps = ceil(range / quantile->step * (1 - STEP_SLACK));
	if (!(steps < DP_MAX_CELLS))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE,
								 arg ? exprLocation(arg) : measure->aggref->location, NULL,
								 "step must divide the bounds into at most %d parts",
								 DP_MAX_CELLS - 1);
	if (fabs(steps * quantile->step - range) > range * STEP_SLACK && measure->aggref->aggtype == FLOAT8OID)
		quantile->step = range / Max(steps, 1);
	if (range == 0)
		quantile->step = 1;
	quantile->spec.cells = (int) steps + 1;
	return NULL;
}

/* Put bounds and step on the grid. */
static DpReason *
set_spec(DpMeasure *measure, const DpContribution *contribution)
{
	DpQuantile *quantile = measure->quantile;
	DpCellSpec *spec = &quantile->spec;
	double		largest = Max(fabs(quantile->lower), fabs(quantile->upper));
	int			least = largest > 0 ? ilogb(largest) + 1 - BOUND_BITS : DP_GRID_MIN;
	int			grid = ilogb(quantile->step) - STEP_BITS;

	if (grid > QUICK_GRID && ilogb(quantile->step) - QUICK_GRID <= QUICK_STEP_BITS)
		grid = QUICK_GRID;
	grid = Max(grid, least);
	if (ilogb(quantile->step) - grid < LEAST_STEP_BITS || grid < DP_GRID_MIN)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location, NULL,
								 "step is too small for bounds of this size");
	spec->grid = grid;
	spec->lower = (int64) rint(ldexp(quantile->lower, -grid));
	spec->upper = (int64) rint(ldexp(quantile->upper, -grid));
	spec->multiplier = (uint64) floorl(ldexpl(1 / (long double) quantile->step, 64 + grid));
	spec->max_rows = contribution->max_rows;
	return NULL;
}

/*
 * Round the fraction to one binary digit less, so that scores are whole numbers of fewer digits.  False, and it is
 * left, if that would move it by more than a thousandth of itself or of what is above it.
 */
static bool
round_fraction(DpQuantileRank *rank)
{
	uint64		above = (UINT64CONST(1) << rank->fraction_bits) - rank->fraction;

	if (Min(rank->fraction, above) < LEAST_ROUNDED)
		return false;
	rank->fraction = (rank->fraction + 1) / 2;
	rank->fraction_bits--;
	return true;
}

/* What the fraction can move the score of a point by, in its last digits, for each row. */
static uint64
fraction_sensitivity(const DpQuantileRank *rank)
{
	return Max(rank->fraction, (UINT64CONST(1) << rank->fraction_bits) - rank->fraction);
}

/*
 * Calibrate the draw: what a unit can move a score by, and the scale for that.  The fraction has as many digits as
 * that leaves room for.
 */
static DpReason *
calibrate(DpMeasure *measure, const DpContribution *contribution, double epsilon)
{
	DpRelease  *release = &measure->release;
	DpQuantileRank *rank = &release->rank;
	int			weight_bits = contribution->row_is_unit ? 0 : DP_CELL_WEIGHT_BITS;
	uint64		unit = contribution->row_is_unit ? 1
		: (uint64) contribution->max_rows << DP_CELL_WEIGHT_BITS;
	const char *problem;

	while (unit > DP_MAX_SENSITIVITY / fraction_sensitivity(rank))
		if (!round_fraction(rank))
			return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location, NULL,
									 "max_rows is too large for this fraction");
	release->kind = dp_kinds_quantile.number;
	release->epsilon = epsilon;
	release->nnoise = 1;
	rank->cells = measure->quantile->spec.cells;
	do
		problem = dp_accounting_calibrate(&release->noise[0], DP_EXPONENTIAL, epsilon, 0,
										  contribution->max_groups, 1, unit * fraction_sensitivity(rank),
										  -(rank->fraction_bits + weight_bits));
	while (problem && round_fraction(rank));
	if (problem)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location, NULL,
								 "%s", problem);
	dp_pricing_set_offset(release);
	dp_pricing_set_none(release, fraction_sensitivity(rank) << weight_bits);
	return NULL;
}

/*
 * Validate what a quantile is over.  The place among keys that extreme_text.c has put there,
 * as nobody can write it, is validated as the column that it is of.
 */
static Node *
validate_value(Query *block, Node *value, const DpStatement *statement, DpReason **reason)
{
	FuncExpr   *call = (FuncExpr *) value;

	if (!IsA(value, FuncExpr) || call->funcformat != COERCE_IMPLICIT_CAST ||
		dp_tree_function(call->funcid) != DP_FUNCTION_PLACE)
		return dp_expression_validate_expression(block, value, statement, reason);
	value = dp_expression_validate_expression(block, linitial(call->args), statement, reason);
	if (*reason)
		return NULL;
	call = copyObject(call);
	call->args = list_make2(value, lsecond_node(Const, call->args));
	return (Node *) call;
}

static DpReason *
measure_quantile(Query *block, const DpContribution *contribution, const DpStatement *statement, DpMeasure *measure)
{
	Aggref	   *aggref = measure->aggref;
	DpQuantile *quantile = measure->quantile = palloc0(sizeof(DpQuantile));
	int			bounds = dp_tree_function(aggref->aggfnoid) == DP_FUNCTION_QUANTILE ? 2 : 1;
	Node	   *lower = argument(aggref, bounds);
	Node	   *upper = argument(aggref, bounds + 1);
	double		epsilon;
	DpReason   *reason;

	if (aggref->aggdistinct)
		return dp_tree_reason(aggref->location, "Leave DISTINCT out.",
							  "DISTINCT is not allowed in this aggregate");
	reason = read_fraction(aggref, statement, &measure->release.rank);
	if (reason == NULL)
		reason = dp_pricing_read_number(lower, "lower bound", statement, &quantile->lower);
	if (reason == NULL)
		reason = dp_pricing_read_number(upper, "upper bound", statement, &quantile->upper);
	if (reason == NULL)
		reason = dp_pricing_read_epsilon(aggref, bounds + 2, statement, &epsilon);
	if (reason)
		return reason;
	if (list_length(aggref->args) <= bounds + 2)
		epsilon = statement->pricing.draw_epsilon;
	if (quantile->lower > quantile->upper)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(lower), NULL,
								 "lower bound must not be greater than upper bound");
	quantile->first = dp_expression_constant(lower, statement->params);
	quantile->last = dp_expression_constant(upper, statement->params);
	measure->value = validate_value(block, uncast(argument(aggref, 0)), statement, &reason);
	if (reason)
		return reason;
	measure->value_type = exprType(measure->value);
	reason = set_step(measure, argument(aggref, bounds + 3), statement);
	if (reason == NULL)
		reason = set_spec(measure, contribution);
	return reason ? reason : calibrate(measure, contribution, epsilon);
}

/* The exact summary over rows, each of weight 1. */
static Node *
row_cells(const DpMeasure *measure)
{
	return (Node *) dp_tree_make_aggregate("exact_cells", list_make2(copyObject(measure->value),
																	 dp_tree_make_bytea(&measure->quantile->spec,
																						sizeof(DpCellSpec))),
										   BYTEAOID);
}

/* The function in the outer query that returns a point of this type. */
static const char *
name_of_conversion(Oid type)
{
	switch (type)
	{
		case DATEOID:
			return "released_date";
		case TIMESTAMPOID:
			return "released_timestamp";
		case TIMESTAMPTZOID:
			return "released_timestamptz";
		default:
			return "released_point";
	}
}

static Node *
value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	const DpQuantile *quantile = measure->quantile;
	Oid			type = measure->aggref->aggtype;
	Oid			types[] = {BYTEAOID, type, type, FLOAT8OID};
	List	   *args = list_make4(dp_rewrite_totals(rewrite, number), copyObject(quantile->first), copyObject(quantile->last),
								  dp_tree_make_float8(quantile->step));

	return (Node *) dp_tree_make_call(name_of_conversion(type), types, lengthof(types), args, type);
}

/* How far off its rank is, but for what is a part of all rows. */
static double
half_width(const DpBlock *block, const DpRelease *release)
{
	DpRankError error = dp_pricing_rank_error(block, release);

	return error.scale * log(error.alternatives / DP_PRICING_MISS) + error.inside;
}

/* The rank that it aims at, and how it shares its price. */
static void
spell(StringInfo text, const DpRelease *release)
{
	pq_sendint32(text, release->rank.cells);
	pq_sendint32(text, release->rank.fraction);
	pq_sendint32(text, release->rank.fraction_bits);
	pq_sendint64(text, release->rank.offset);
	pq_sendint64(text, release->rank.none);
	pq_sendint32(text, release->rank.none_bits);
	pq_sendint32(text, release->split.sharers);
	pq_sendint32(text, release->split.level);
	pq_sendint32(text, release->split.bits);
	pq_sendint32(text, release->split.asked);
}

static Node *
exact(DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	return row_cells(measure);
}

static void
ask(const DpMeasure *measure, DpUnitsAsk *ask, Node **value)
{
	const DpCellSpec *spec = &measure->quantile->spec;

	ask->kind = DP_UNITS_CELLS;
	ask->grid = spec->grid;
	ask->lower = spec->lower;
	ask->upper = spec->upper;
	ask->max_rows = spec->max_rows;
	ask->multiplier = spec->multiplier;
	ask->cells = spec->cells;
	*value = copyObject(measure->value);
}

static Datum
draw(const DpRelease *release, Oid type, Datum value, bool isnull, const DpSharedDraw *shared, DpInt128 *units,
	 bool *none)
{
	DpInt128	point = dp_draw_draw_quantile(release, value, isnull);

	*none = point == release->rank.cells;
	return PointerGetDatum(dp_aggregate_make_totals(1, &point));
}

static const DpFunction asked_by[] = {DP_FUNCTION_QUANTILE, DP_FUNCTION_MEDIAN, DP_FUNCTION_MIN, DP_FUNCTION_MAX, DP_FUNCTION_OTHER};

/* It lies between other quantiles. */
static Node *
interval(DpBlockRewrite *rewrite, const DpAskedInterval *asked, DpReason **untold)
{
	return dp_rewrite_quantile_interval(rewrite, asked->number, asked->level, untold);
}

const DpKind dp_kinds_quantile = {
	.number = DP_RELEASE_QUANTILE,
	.totals = 1,
	.is_rank = true,
	.half_width = half_width,
	.scale = dp_pricing_scale_release,
	.spell = spell,
	.exact = exact,
	.ask = ask,
	.part = row_cells,
	.draw = draw,
	.functions = asked_by,
	.measure = measure_quantile,
	.value = value,
	.interval = interval,
};
