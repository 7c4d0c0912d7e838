/* SPDX-License-Identifier: PostgreSQL */
/*
 * losses.c
 *	  Losses of models: what dp_select_model adds up and draws by.
 *
 * A loss is an integer from 0 to 2^16, a row weighs 2^weight_bits at most, and all rows of a unit
 * max_rows times that: so a unit moves every model's total up, by no more than
 * max_rows * 2^(16 + weight_bits).
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "aggregate/exact.h"
#include "aggregate/loss_spec.h"
#include "base/compat_varlena.h"
#include "base/injection.h"
#include "draw/exact_rows.h"
#include "draw/release_state.h"
#include "from/contribution.h"
#include "kinds/kinds.h"
#include "kinds/model.h"
#include "models/layout.h"
#include "noise/selection.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/forms.h"
#include "pricing/kind.h"
#include "pricing/total_cost.h"
#include "rewrite/released_value.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

/* The models, with what a unit may add to their losses. */
static Const *
bound_losses(const Const *models, const DpContribution *contribution)
{
	Const	   *bounded = copyObject(unconstify(Const *, models));
	DpModelSpec *columns = &((DpLossSpec *) DatumGetPointer(bounded->constvalue))->columns;

	columns->max_rows = contribution->max_rows;
	columns->weight_bits = contribution->row_is_unit ? 0 : DP_MODEL_WEIGHT_BITS;
	if (!dp_models_model_spec_is_sane(columns))
		elog(ERROR, "malformed models");
	return bounded;
}

/* dp_agg_internal.losses(spec, epsilon, y, coordinate, ...), which only calls that are expanded may have. */
static DpReason *
measure_losses(Query *block, const DpContribution *contribution, const DpStatement *statement, DpMeasure *measure)
{
	Aggref	   *aggref = measure->aggref;
	double		epsilon;
	DpReason   *reason;

	if (dp_pricing_form_of(aggref) == NULL)
		return dp_tree_reason(aggref->location, "Call dp_select_model in FROM.",
							  "this aggregate is not allowed in a differentially private query");
	reason = dp_pricing_read_call_epsilon(aggref, 1, statement, &epsilon);
	if (reason)
		return reason;
	measure->losses = bound_losses(castNode(Const, (Node *) linitial_node(TargetEntry, aggref->args)->expr), contribution);
	reason = dp_kinds_read_coordinates(block, statement, measure);
	if (reason)
		return reason;
	dp_pricing_init_release(contribution->pricing, &measure->release, &dp_kinds_losses, epsilon);
	measure->release.shift = DP_LOSS_BITS + (contribution->row_is_unit ? 0 : DP_MODEL_WEIGHT_BITS);
	return NULL;
}

/* Over rows with these values, `rows` being how many the unit of a row has. */
static Node *
exact_losses(const DpMeasure *measure, Node *rows, List *values)
{
	List	   *args = list_concat(list_make2(copyObject(measure->losses), rows), values);

	return (Node *) dp_tree_make_variadic_aggregate("exact_losses", args, 3, BYTEAOID);
}

static double
factor(const DpRelease *release)
{
	return release->factor;
}

/* So many zeroes, aligned as palloc does not. */
static DpInt128 *
allocate_totals(int count)
{
	return (DpInt128 *) TYPEALIGN(sizeof(DpInt128), palloc0(((Size) count + 1) * sizeof(DpInt128)));
}

/*
 * The number of a model, from 0, by the exponential mechanism, through which alone losses leave: reads the exact plan to its end.  Allocates in the
 * current memory context, 16 bytes for each model.
 */
static int64
draw_least(DpReleaseState *state)
{
	const DpBlock *block = state->block;
	const DpNoise *noise = &block->release[0].noise[0];
	DpInt128   *loss = allocate_totals(block->size);
	TupleTableSlot *exact = dp_draw_next_exact(state);
	int			column = block->release[0].column;

	if (exact && !exact->tts_isnull[column])
		dp_aggregate_read_totals(DatumGetByteaPP(exact->tts_values[column]), block->size, loss);
	while (exact)
		exact = dp_draw_next_exact(state);
	DP_INJECTION_POINT("noise");
	return (int64) dp_noise_least((unsigned __int128 *) loss, block->size, 1, noise->scale_num, noise->scale_den);
}

/* Losses are counted in halves of 2^shift, that of a row which weighs and loses most. */
static DpReason *
calibrate_least(DpBlockRewrite *rewrite)
{
	DpRelease  *release = &rewrite->block->release[0];

	release->unit = release->factor = dp_pricing_form_of(dp_tree_first_aggregate(rewrite->query))->bound;
	return dp_pricing_calibrate_on(rewrite, DP_EXPONENTIAL, 1, rewrite->contribution.max_rows / 2.0,
								   -release->shift - 1);
}

static const DpFunction asked_by[] = {DP_FUNCTION_LOSSES, DP_FUNCTION_OTHER};

const DpKind dp_kinds_losses = {
	.number = DP_RELEASE_LOSSES,
	.in_unit = true,
	.one_way = true,
	.factor = factor,
	.scale = dp_pricing_scale_release,
	.suits_aggregates = true,
	.weighed_values = dp_kinds_coordinates,
	.weighed_total = exact_losses,
	.draw_least = draw_least,
	.calibrate_least = calibrate_least,
	.of_call = true,
	.functions = asked_by,
	.measure = measure_losses,
	.value = dp_rewrite_count_value,
};
