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
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "pricing/aggregate.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/clipping.h"
#include "pricing/form_table.h"
#include "pricing/forms.h"
#include "pricing/half_width.h"
#include "pricing/joint.h"
#include "pricing/kind.h"
#include "rewrite/interval.h"
#include "rewrite/interval_range.h"
#include "rewrite/quantile_interval.h"
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

/* The text of a call without the types of its constants, which nobody writes. */
static char *
without_types(const char *call)
{
	static const char *const types[] = {"'::regclass", "'::name", "'::text"};
	char	   *text = pstrdup(call);

	for (int i = 0; i < lengthof(types); i++)
		for (char *found = text; (found = strstr(found, types[i])) != NULL;)
		{
			found++;
			memmove(found, found + strlen(types[i]) - 1, strlen(found) - strlen(types[i]) + 2);
		}
	return text;
}

/* What the notice calls an aggregate: the call that its block was made of, if it was, else as it is written. */
static char *
label_of(const DpBlockRewrite *rewrite, const DpMeasure *measure, const DpRelease *release)
{
	const char *call = dp_pricing_call_of(rewrite->flat);

	if (call)
		return without_types(call);
	return pstrdup(measure->carrier ? dp_pricing_answer_of(measure, release)->label : release->label);
}

/* What is shown of an aggregate, or NIL. */
static List *
shown_value(DpBlockRewrite *rewrite, Aggref *aggref)
{
	DpAskedInterval asked = {.aggref = aggref, .level = (Node *) dp_tree_make_float8(0.95)};
	const DpRelease *release;
	List	   *shown;
	Node	   *interval;

	asked.measure = dp_rewrite_measure_of(rewrite, aggref, &asked.number);
	interval = dp_rewrite_interval_of_asked(rewrite, &asked);
	if (interval == NULL)
		return NIL;
	release = &rewrite->block->release[asked.number];
	shown = list_make5(makeString(label_of(rewrite, asked.measure, release)), dp_rewrite_released_value(rewrite, aggref), interval,
					   makeInteger(asked.number), makeInteger(may_clip(rewrite, asked.measure)));
	shown = lappend(shown, makeInteger(dp_pricing_is_clipped(release) && dp_kind(release)->interval == NULL));
	return lappend(shown, makeFloat(pstrdup("0")));
}

/* Is it a quantile that is compared by its rank? */
static bool
is_quantile(const Aggref *aggref)
{
	DpFunction	function = dp_tree_function(aggref->aggfnoid);

	return function == DP_FUNCTION_QUANTILE || function == DP_FUNCTION_MEDIAN;
}

/* The range of how far off the rank of a quantile may be. */
static Node *
rank_range(double half_width)
{
	return (Node *) makeConst(NUMRANGEOID, -1, InvalidOid, -1, dp_rewrite_make_range(-half_width, half_width), false, false);
}

/*
 * What is shown of a quantile whose rows are counted beside it, or NIL: that many rows have ranks, where there is an answer.
 * An extreme has fewer on one side than noise may skip, always.
 */
static List *
shown_rank(DpBlockRewrite *rewrite, Aggref *aggref)
{
	int			number;
	const DpMeasure *measure = dp_rewrite_measure_of(rewrite, aggref, &number);
	const DpRelease *release = &rewrite->block->release[number];
	Aggref	   *rows = dp_rewrite_rows_of_quantile(rewrite, measure);
	double		fraction = dp_rewrite_asked_fraction(release);
	Node	   *there = dp_tree_make_not_null(dp_rewrite_released_value(rewrite, aggref));
	List	   *shown;

	if (rows == NULL || fraction <= 0 || fraction >= 1)
		return NIL;
	shown = list_make5(makeString(pstrdup(release->label)), dp_tree_make_if(there, dp_rewrite_released_value(rewrite, rows)),
					   rank_range(dp_pricing_half_width(rewrite->block, release, 1)), makeInteger(number), makeInteger(0));
	shown = lappend(shown, makeInteger(0));
	return lappend(shown, makeFloat(psprintf("%.17g", Min(fraction, 1 - fraction))));
}

/* What is shown of an aggregate, or NIL. */
static List *
shown_of(DpBlockRewrite *rewrite, Aggref *aggref)
{
	if (dp_tree_is_keys_alone((Node *) aggref))
		return NIL;
	if (is_compared(aggref))
		return shown_value(rewrite, aggref);
	return is_quantile(aggref) ? shown_rank(rewrite, aggref) : NIL;
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
		List	   *value = shown_of(rewrite, lfirst(lc));

		/* One that stands in several places is one. */
		if (value != NIL && !list_member(shown, value))
			shown = lappend(shown, value);
	}
	return shown;
}
