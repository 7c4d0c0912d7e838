/* SPDX-License-Identifier: PostgreSQL */
/*
 * model.c
 *	  Models: from the hidden aggregate of a call to exact totals of coordinates and their
 *	  noise.
 *
 * A unit's rows weigh W max_rows together, at most, so it moves all totals by
 * W max_rows G^2 sqrt(S) in L2, and by W max_rows G^2 L in L1 (models/layout.h).  That is charged,
 * once for all.  Each pass through the rows moves by as much with S and L of its own (models/pass.h), and all of
 * them are charged before any.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "accounting/calibrate.h"
#include "aggregate/exact.h"
#include "aggregate/model_released.h"
#include "base/compat_varlena.h"
#include "draw/add_noise.h"
#include "expression/validate.h"
#include "kinds/kinds.h"
#include "kinds/model.h"
#include "models/layout.h"
#include "models/pass.h"
#include "pricing/aggregate_args.h"
#include "pricing/forms.h"
#include "pricing/kind.h"
#include "pricing/total_cost.h"
#include "rewrite/released_value.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

/* Bits of noise beyond those that accounting's own grid gives it, if there is room. */
#define MORE_NOISE_BITS 10

/* Arguments of the aggregates before coordinates. */
#define FIRST_COORDINATE 2

static Node *
argument(const Aggref *aggref, int n)
{
	return (Node *) list_nth_node(TargetEntry, aggref->args, n)->expr;
}

/* One row, in units of the exact totals: 2^bits of them. */
static int
bits_of_row(const DpModelSpec *spec)
{
	return spec->weight_bits + 2 * DP_MODEL_GRID_BITS;
}

/*
 * How far a unit moves all totals together, in units of 2^shift, if a row moves them by
 * so much at most: in L1 under Laplace noise and in L2 under Gaussian.  Each total is
 * rounded to these, which can move it by less than one beyond that.  Rounded up.
 */
static long double
sensitivity_of(DpMechanism mechanism, const DpModelSpec *spec, int four_squares, int two_magnitudes, int totals, int shift)
{
	bool		gaussian = mechanism == DP_GAUSSIAN;
	long double rows = gaussian ? sqrtl(four_squares) / 2 : two_magnitudes / 2.0L;
	long double units = ldexpl(rows * spec->max_rows, bits_of_row(spec) - shift);

	if (shift > 0)
		units += gaussian ? sqrtl(totals) : totals;
	return ceill(units * (1 + 0x1p-60L)) + 1;
}

/* The same of products of coordinates, and of one pass. */
static long double
sensitivity_of_products(DpMechanism mechanism, const DpModelSpec *spec, int shift)
{
	return sensitivity_of(mechanism, spec, dp_models_model_four_squares(spec), dp_models_model_two_magnitudes(spec),
						  dp_models_model_totals(spec), shift);
}

static long double
sensitivity_of_pass(DpMechanism mechanism, const DpMeasure *measure, int shift)
{
	const DpModelSpec *spec = &measure->model;

	return sensitivity_of(mechanism, spec, dp_models_pass_four_squares(spec, measure->loss), dp_models_pass_two_magnitudes(spec, measure->loss),
						  dp_models_pass_totals(spec), shift);
}

/*
 * Calibrate the noise of all passes.  Passes get half of the budget: half of epsilon
 * (Laplace) or half of the variance budget (Gaussian).  The share of epsilon that is
 * shown for passes is what the moments leave of it.
 */
static DpReason *
calibrate_passes(DpMeasure *measure, DpMechanism mechanism, int shift)
{
	DpRelease  *release = &measure->release;
	long double sensitivity = sensitivity_of_pass(mechanism, measure, shift);
	const char *problem = sensitivity > (long double) DP_MAX_SENSITIVITY ? "sensitivity is out of range" :
		dp_accounting_calibrate(&release->choice, mechanism, release->epsilon, release->delta, measure->passes,
								DP_PASS_PARTS, (uint64) sensitivity, shift - bits_of_row(&measure->model));

	if (problem)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, measure->aggref->location, NULL, "%s", problem);
	release->choice_epsilon = release->epsilon *
		(mechanism == DP_GAUSSIAN ? 1 - sqrt(1.0 / DP_PASS_PARTS) : 1.0 / DP_PASS_PARTS);
	return NULL;
}

/* Calibrate the noise of all totals, in units of 2^shift. */
static DpReason *
try_shift(DpMeasure *measure, const DpContribution *contribution, int shift)
{
	DpRelease  *release = &measure->release;
	long double sensitivity = sensitivity_of_products(contribution->pricing->mechanism, &measure->model, shift);
	DpReason   *reason;

	if (sensitivity > (long double) DP_MAX_SENSITIVITY)
		elog(ERROR, "totals of a model are in units that are too fine");
	release->shift = shift;
	reason = dp_pricing_calibrate(release, 0, contribution, measure->passes > 0 ? DP_PASS_PARTS : 1, (uint64) sensitivity,
								  shift - bits_of_row(&measure->model), measure->aggref->location);
	return reason || measure->passes == 0 ? reason : calibrate_passes(measure, contribution->pricing->mechanism, shift);
}

/*
 * Totals are exact in steps finer than the sampler can draw for: they are released in units of
 * 2^shift of them, in which noise has some fifty bits.
 */
static DpReason *
calibrate(DpMeasure *measure, const DpContribution *contribution)
{
	DpRelease  *release = &measure->release;
	double		sensitivity = (double) sensitivity_of_products(contribution->pricing->mechanism, &measure->model, 0);
	int			coarse = dp_accounting_grid(contribution->pricing->mechanism, release->epsilon, release->delta,
											contribution->max_groups, measure->passes > 0 ? DP_PASS_PARTS : 1,
											sensitivity, false);
	int			fine = Max(coarse - MORE_NOISE_BITS, ilogb(sensitivity) - 58);
	DpReason   *reason;

	release->features = dp_models_model_totals(&measure->model);
	release->unit = release->factor = 1;
	reason = try_shift(measure, contribution, Max(fine, 0));
	if (reason && coarse > fine)
		reason = try_shift(measure, contribution, Max(coarse, 0));
	return reason;
}

/* The specification that the call wrote, for this contribution. */
static void
read_spec(const Aggref *aggref, const DpContribution *contribution, DpModelSpec *spec)
{
	const bytea *written = DatumGetByteaPP(castNode(Const, argument(aggref, 0))->constvalue);

	if (VARSIZE_ANY_EXHDR(written) != sizeof(DpModelSpec) - VARHDRSZ)
		elog(ERROR, "malformed model");
	memcpy((char *) spec + VARHDRSZ, VARDATA_ANY(written), sizeof(DpModelSpec) - VARHDRSZ);
	spec->vl_len_ = 0;
	spec->max_rows = contribution->max_rows;
	spec->weight_bits = contribution->row_is_unit ? 0 : DP_MODEL_WEIGHT_BITS;
	if (!dp_models_model_spec_is_sane(spec) || list_length(aggref->args) != 2 + spec->blocks)
		elog(ERROR, "malformed model");
}

/*
 * Validate what a coordinate is made of, a call of one of the extension's functions, or what became of that where
 * it is the same for all rows.
 */
static Node *
read_coordinate(Query *block, Node *written, const DpStatement *statement, DpReason **reason)
{
	FuncExpr   *call = copyObject((FuncExpr *) written);

	/* A value that is the same for all rows is a constant or a parameter by now. */
	if (!IsA(call, FuncExpr))
		return dp_expression_validate_expression(block, written, statement, reason);
	if (!dp_tree_is_extensions(call->funcid))
		elog(ERROR, "malformed model");
	linitial(call->args) = dp_expression_validate_expression(block, linitial(call->args), statement, reason);
	return (Node *) call;
}

DpReason *
dp_kinds_read_coordinates(Query *block, const DpStatement *statement, DpMeasure *measure)
{
	const Aggref *aggref = measure->aggref;
	DpReason   *reason = NULL;

	for (int i = FIRST_COORDINATE; i < list_length(aggref->args); i++)
	{
		measure->coordinates = lappend(measure->coordinates,
									   read_coordinate(block, argument(aggref, i), statement, &reason));
		if (reason)
			return reason;
	}
	return NULL;
}

/* dp_agg_internal.model(spec, epsilon, coordinate, ...), which only calls that are expanded may have. */
static DpReason *
measure_model(Query *block, const DpContribution *contribution, const DpStatement *statement, DpMeasure *measure)
{
	Aggref	   *aggref = measure->aggref;
	const DpFormed *formed = dp_pricing_form_of(aggref);
	double		epsilon;
	DpReason   *reason;

	if (formed == NULL)
		return dp_tree_reason(aggref->location, "Use dp_linregr, dp_logregr or dp_svm.",
							  "this aggregate is not allowed in a differentially private query");
	reason = dp_pricing_read_call_epsilon(aggref, 1, statement, &epsilon);
	if (reason)
		return reason;
	read_spec(aggref, contribution, &measure->model);
	if (formed->form == DP_FORM_PASSES)
	{
		measure->passes = formed->size;
		measure->loss = (DpPassLoss) formed->level;
	}
	reason = dp_kinds_read_coordinates(block, statement, measure);
	if (reason)
		return reason;
	dp_pricing_init_release(contribution->pricing, &measure->release, measure->passes > 0 ? &dp_kinds_passes : &dp_kinds_model, epsilon);
	strlcpy(measure->release.label, formed->label, DP_LABEL_SIZE);
	return calibrate(measure, contribution);
}

List *
dp_kinds_coordinates(const DpMeasure *measure)
{
	return copyObject(measure->coordinates);
}

/* Over rows with these coordinates, `rows` being how many the unit of a row has. */
static Node *
exact_model(const DpMeasure *measure, Node *rows, List *coordinates)
{
	List	   *args = list_concat(list_make2(dp_tree_make_bytea(&measure->model, sizeof(DpModelSpec)), rows),
								   coordinates);

	return (Node *) dp_tree_make_variadic_aggregate("exact_model", args, 2, BYTEAOID);
}

Node *
dp_kinds_released_model(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	Oid			types[] = {BYTEAOID, BYTEAOID};
	const DpNoise *noise = &measure->release.noise[0];
	DpModelAbout about = {
		.spec = measure->model,
		.unit = ldexp(1, noise->grid),
		.noise = dp_accounting_stddev(noise),
		.loss = measure->loss,
		.passes = measure->passes,
		.pass_noise = measure->passes > 0 ? dp_accounting_stddev(&measure->release.choice) : 0
	};

	return (Node *) dp_tree_make_call("released_model", types, lengthof(types),
									  list_make2(dp_rewrite_totals(rewrite, number), dp_tree_make_bytea(&about, sizeof(about))), BYTEAOID);
}

static double
factor(const DpRelease *release)
{
	return release->factor;
}

/* There may be many totals. */
static Datum
draw(const DpRelease *release, Oid type, Datum value, bool isnull, const DpSharedDraw *shared, DpInt128 *units,
	 bool *none)
{
	DpInt128	totals[DP_MODEL_MOST_TOTALS] = {0};

	if (!isnull)
		dp_aggregate_read_totals(DatumGetByteaPP(value), release->features, totals);
	dp_draw_add_to_each(release, totals);
	return PointerGetDatum(dp_aggregate_make_totals(release->features, totals));
}

static const DpFunction asked_by[] = {DP_FUNCTION_MODEL, DP_FUNCTION_OTHER};

const DpKind dp_kinds_model = {
	.number = DP_RELEASE_MODEL,
	.over_rows = true,
	.factor = factor,
	.scale = dp_pricing_scale_release,
	.suits_aggregates = true,
	.weighed_values = dp_kinds_coordinates,
	.weighed_total = exact_model,
	.draw = draw,
	.of_call = true,
	.functions = asked_by,
	.measure = measure_model,
	.value = dp_kinds_released_model,
};
