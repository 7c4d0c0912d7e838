/* SPDX-License-Identifier: PostgreSQL */
/*
 * shown_values.c
 *	  What a block shows of its release, to be compared with its noise when rows are there.
 *
 * Computed from released values and the public parameters of their noise, as the outer query is: it costs nothing and
 * tells nothing more.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"

#include "pricing/aggregate.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/clipping.h"
#include "pricing/form_table.h"
#include "pricing/forms.h"
#include "pricing/joint.h"
#include "pricing/kind.h"
#include "rewrite/interval.h"
#include "rewrite/released_value.h"
#include "rewrite/shown_values.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

/* Is this an aggregate whose noise is compared with its value? */
static bool
is_compared(const Aggref *aggref)
{
	switch (dp_tree_function(aggref->aggfnoid))
	{
		case DP_FUNCTION_COUNT:
		case DP_FUNCTION_SUM:
		case DP_FUNCTION_AVG:
		case DP_FUNCTION_GEOMETRIC_MEAN:
		case DP_FUNCTION_VARIANCE:
		case DP_FUNCTION_STDDEV:
			return aggref->aggtype == INT8OID || aggref->aggtype == NUMERICOID || aggref->aggtype == FLOAT8OID;
		default:
			return false;
	}
}

/* Could the clamp of a count, sum or mean be chosen, of units that have several rows? */
static bool
may_clip(const DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	DpFunction	function = dp_tree_function(measure->aggref->aggfnoid);

	return rewrite->statement->pricing.clipping == DP_CLIPPING_FIXED && rewrite->contribution.max_rows > 1 &&
		measure->aggref->aggdistinct == NIL &&
		(function == DP_FUNCTION_COUNT || function == DP_FUNCTION_SUM || function == DP_FUNCTION_AVG);
}

/* What is shown of an aggregate, or NIL. */
static List *
shown_value(DpBlockRewrite *rewrite, Aggref *aggref)
{
	DpAskedInterval asked = {.aggref = aggref, .level = (Node *) dp_tree_make_float8(0.95)};
	const DpRelease *release;
	const char *label;
	Node	   *interval;

	asked.measure = dp_rewrite_measure_of(rewrite, aggref, &asked.number);
	interval = dp_rewrite_interval_of_asked(rewrite, &asked);
	if (interval == NULL)
		return NIL;
	release = &rewrite->block->release[asked.number];
	label = asked.measure->carrier ? dp_pricing_answer_of(asked.measure, release)->label : release->label;
	return lappend(list_make5(makeString(pstrdup(label)), dp_rewrite_released_value(rewrite, aggref), interval,
							  makeInteger(asked.number), makeInteger(may_clip(rewrite, asked.measure))),
				   makeInteger(dp_pricing_is_clipped(release) && dp_kind(release)->interval == NULL));
}

List *
dp_rewrite_shown_values(DpBlockRewrite *rewrite)
{
	List	   *shown = NIL;
	ListCell   *lc;

	if (!dp_settings_noise_notice || !dp_form(rewrite->block)->of_groups)
		return NIL;
	foreach(lc, dp_tree_aggregates(rewrite->query))
	{
		List	   *value = is_compared(lfirst(lc)) && !dp_tree_is_keys_alone(lfirst(lc)) ? shown_value(rewrite, lfirst(lc)) : NIL;

		if (value != NIL)
			shown = lappend(shown, value);
	}
	return shown;
}
