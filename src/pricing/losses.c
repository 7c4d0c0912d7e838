/*
 * losses.c
 *	  Losses of models: what dp_select_model adds up and draws by.
 *
 * A loss is an integer from 0 to 2^16, a row weighs 2^weight_bits at most, and all rows of a unit
 * max_rows times that: so a unit moves every model's total up, by no more than
 * max_rows * 2^(16 + weight_bits).
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"

#include "aggregate/loss_spec.h"
#include "pricing/forms.h"
#include "pricing/losses.h"
#include "pricing/model.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

/* Arguments of dp_agg.losses before values. */
#define FIRST_VALUE 2

static Node *
argument(const Aggref *aggref, int n)
{
	return (Node *) list_nth_node(TargetEntry, aggref->args, n)->expr;
}

/* The models, with what a unit may add to their losses. */
static Const *
bound_losses(const Const *models, const DpContribution *contribution)
{
	Const	   *bounded = copyObject(unconstify(Const *, models));
	DpModelSpec *columns = &((DpLossSpec *) DatumGetPointer(bounded->constvalue))->columns;

	columns->max_rows = contribution->max_rows;
	columns->weight_bits = contribution->row_is_unit ? 0 : DP_MODEL_WEIGHT_BITS;
	if (!dp_model_spec_is_sane(columns))
		elog(ERROR, "malformed models");
	return bounded;
}

DpReason *
dp_query_measure_losses(Query *block, const DpContribution *contribution, ParamListInfo params,
						DpMeasure *measure)
{
	Aggref	   *aggref = measure->aggref;
	double		epsilon;
	DpReason   *reason;

	if (dp_query_form_of(aggref) == NULL)
		return dp_query_reason(aggref->location, "Call dp_select_model in FROM.",
							   "this aggregate is not allowed in a differentially private query");
	reason = dp_query_read_epsilon(aggref, 1, params, &epsilon);
	if (reason)
		return reason;
	measure->losses = bound_losses(castNode(Const, argument(aggref, 0)), contribution);
	for (int i = FIRST_VALUE; i < list_length(aggref->args); i++)
	{
		measure->coordinates = lappend(measure->coordinates,
									   dp_query_read_coordinate(block, argument(aggref, i), params, &reason));
		if (reason)
			return reason;
	}
	dp_query_init_release(&measure->release, DP_RELEASE_LOSSES, epsilon);
	measure->release.shift = DP_LOSS_BITS + (contribution->row_is_unit ? 0 : DP_MODEL_WEIGHT_BITS);
	return NULL;
}

Node *
dp_query_exact_losses(const DpMeasure *measure, Node *rows, List *values)
{
	List	   *args = list_concat(list_make2(copyObject(measure->losses), rows), values);

	return (Node *) dp_query_make_variadic_aggregate("exact_losses", args, 3, BYTEAOID);
}

double
dp_query_cost_of_losses(const Aggref *aggref)
{
	static const Oid types[] = {BYTEAOID, INT8OID, INT8OID, ANYOID};
	const DpLossSpec *spec;

	if (aggref->aggfnoid < FirstNormalObjectId || list_length(aggref->args) < lengthof(types) ||
		!IsA(argument(aggref, 0), Const) ||
		aggref->aggfnoid != dp_query_internal_function("exact_losses", lengthof(types), types))
		return 0;
	spec = (const DpLossSpec *) DatumGetPointer(((Const *) argument(aggref, 0))->constvalue);
	return spec->models * (DP_NANOSECONDS_OF_MODEL + DP_NANOSECONDS_OF_WEIGHT *
						   (dp_model_coordinates(&spec->columns) + 1));
}
