/* SPDX-License-Identifier: PostgreSQL */
/*
 * count.c
 *	  Counts: of rows, units or distinct values.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "aggregate/moments.h"
#include "draw/add_noise.h"
#include "draw/draw_clamp.h"
#include "exact/exact_query.h"
#include "exact/over_units.h"
#include "expression/allow_list.h"
#include "expression/canonical_key.h"
#include "expression/validate.h"
#include "from/contribution.h"
#include "pricing/aggregate_args.h"
#include "pricing/clipping.h"
#include "pricing/forms.h"
#include "pricing/kind.h"
#include "pricing/total_cost.h"
#include "rewrite/released_value.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

/* The one total is the number. */
static DpToldRows
told_rows(const DpRelease *release)
{
	return (DpToldRows) {.count = 1, .noise = &release->noise[0], .row = ldexp(1, -release->noise[0].grid)};
}

/* Whatever the grid of its noise, what was released is a number of rows. */
static bool
can_convert(const DpRelease *asked, const DpRelease *finer)
{
	return true;
}

static Node *
exact(DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	if (measure->distinct_values)
		return dp_exact_over_distinct((Node *) dp_tree_make_count(copyObject(measure->value)), measure);
	return measure->distinct_units || measure->value == NULL ? dp_exact_row_count(rewrite)
		: (Node *) dp_tree_make_count(copyObject(measure->value));
}

static void
ask(const DpMeasure *measure, DpUnitsAsk *ask, Node **value)
{
	ask->kind = measure->distinct_values ? DP_UNITS_VALUES : DP_UNITS_ROWS;
	ask->max_rows = measure->most_rows;
	if (measure->value)
		*value = copyObject(measure->value);
	if (measure->distinct_values)
		*value = dp_exact_reform(*value);
}

static Node *
part(const DpMeasure *measure)
{
	return (Node *) dp_tree_make_count(copyObject(measure->value));
}

static Datum
draw(const DpRelease *release, Oid type, Datum value, bool isnull, const DpSharedDraw *shared, DpInt128 *units, bool *none)
{
	DpInt128	totals[DP_MOMENTS_MOST];

	dp_draw_read_exact(release, type, value, isnull, totals);
	*units = dp_draw_to_grid(totals[0], release->noise[0].grid) + dp_draw_noise_beside(&release->noise[0], shared);
	return dp_draw_count_datum(type, dp_draw_from_grid(*units, release));
}

static Datum
added_up(const DpRelease *asked, const DpRelease *finer, Oid type, DpInt128 *parts)
{
	return dp_draw_count_datum(type, (int64) Max(Min(parts[0], (DpInt128) PG_INT64_MAX), (DpInt128) PG_INT64_MIN));
}

/*
 * Is this t.*, of a protected item that no outer join puts NULLs in place of?
 * Then it is never NULL.
 */
static bool
is_whole_row(Node *expr, const DpContribution *contribution)
{
	ListCell   *lc;

	if (!IsA(expr, Var) || ((Var *) expr)->varattno != 0)
		return false;
	foreach(lc, contribution->units)
		if (lfirst_node(Var, lc)->varno == ((Var *) expr)->varno &&
			((Var *) expr)->varlevelsup == 0)
			return true;
	return false;
}

/* Is this the unit for some rows, by CASE, and NULL for others? */
static bool
is_unit_or_null(Node *expr, const DpContribution *contribution)
{
	CaseExpr   *cases = (CaseExpr *) expr;
	ListCell   *lc;

	if (IsA(expr, Const) && ((Const *) expr)->constisnull)
		return true;
	if (!IsA(expr, CaseExpr))
		return dp_from_is_unit(expr, contribution);
	foreach(lc, cases->args)
		if (!is_unit_or_null((Node *) lfirst_node(CaseWhen, lc)->result, contribution))
			return false;
	return cases->defresult == NULL || is_unit_or_null((Node *) cases->defresult, contribution);
}

/* Have a value of which distinct ones count look the same wherever it is. */
static DpReason *
tell_apart(DpMeasure *measure)
{
	Aggref	   *aggref = measure->aggref;
	Oid			equality = linitial_node(SortGroupClause, aggref->aggdistinct)->eqop;
	Node	   *value;
	DpReason   *unlike;

	if (dp_expression_type_is_groupable(exprType(measure->value)) && equality < FirstUnpinnedObjectId)
	{
		value = dp_expression_canonical_key(measure->value, &unlike);
		if (unlike == NULL)
		{
			measure->value = value;
			return NULL;
		}
	}
	return dp_tree_reason(exprLocation((Node *) linitial_node(TargetEntry, aggref->args)->expr),
						  "Cast it to text, or to a type whose equal values look the same.",
						  "DISTINCT is not allowed with values of this type");
}

/* A value, validated, in a form that is the same for all that are equal. */
static Node *
canonical_value(Query *block, Node *given, const DpStatement *statement, DpReason **reason)
{
	Node	   *value = dp_expression_validate_expression(block, given, statement, reason);
	DpReason   *unlike = NULL;

	if (*reason)
		return NULL;
	value = dp_expression_type_is_groupable(exprType(value)) ? dp_expression_canonical_key(value, &unlike) : NULL;
	if (value == NULL)
		*reason = dp_tree_reason(exprLocation(given), "Cast it to text, or to a type whose equal values look the same.",
								 "DISTINCT is not allowed with values of this type");
	return value;
}

/* A row of values as one value, whose bytes are equal where all of these are. */
static Node *
pack_row(Query *block, RowExpr *row, const DpStatement *statement, DpReason **reason)
{
	static const Oid any[] = {ANYOID};
	List	   *values = NIL;
	ListCell   *lc;

	foreach(lc, row->args)
	{
		Node	   *value = canonical_value(block, lfirst(lc), statement, reason);

		if (*reason)
			return NULL;
		values = lappend(values, dp_exact_reform(value));
	}
	return (Node *) dp_tree_make_call("packed", any, lengthof(any), values, BYTEAOID);
}

/* The same of a row that FILTER keeps, CASE WHEN filter THEN row END; NULL if it is neither. */
static Node *
pack_rows(Query *block, Node *arg, const DpStatement *statement, DpReason **reason)
{
	CaseExpr   *cases = (CaseExpr *) arg;
	CaseWhen   *when;

	if (IsA(arg, RowExpr))
		return pack_row(block, (RowExpr *) arg, statement, reason);
	if (!IsA(arg, CaseExpr) || cases->arg || list_length(cases->args) != 1 ||
		!IsA(linitial_node(CaseWhen, cases->args)->result, RowExpr) ||
		(cases->defresult && !(IsA(cases->defresult, Const) && ((Const *) cases->defresult)->constisnull)))
		return NULL;
	cases = copyObject(cases);
	cases->defresult = (Expr *) makeNullConst(BYTEAOID, -1, InvalidOid);
	when = linitial_node(CaseWhen, cases->args);
	cases->casetype = BYTEAOID;
	when->expr = (Expr *) dp_expression_validate_expression(block, (Node *) when->expr, statement, reason);
	if (*reason == NULL)
		when->result = (Expr *) pack_row(block, (RowExpr *) when->result, statement, reason);
	return (Node *) cases;
}

static DpReason *
measure_count(Query *block, const DpContribution *contribution, const DpStatement *statement, DpMeasure *measure)
{
	Aggref	   *aggref = measure->aggref;
	double		epsilon;
	int			bound = contribution->max_rows;
	DpReason   *reason;

	reason = dp_pricing_read_call_epsilon(aggref, 1, statement, &epsilon);
	if (reason)
		return reason;
	if (!aggref->aggstar)
	{
		Node	   *arg = (Node *) linitial_node(TargetEntry, aggref->args)->expr;

		measure->distinct_values = aggref->aggdistinct && !is_unit_or_null(arg, contribution);
		measure->distinct_units = aggref->aggdistinct && dp_from_is_unit(arg, contribution);
		if (aggref->aggdistinct)
			bound = measure->distinct_values ? contribution->max_values : 1;
		measure->value = measure->distinct_values ? pack_rows(block, arg, statement, &reason) : NULL;
		if (reason)
			return reason;
		if (measure->value)
			measure->value_type = BYTEAOID;
		else if (measure->distinct_values || !is_whole_row(arg, contribution))
		{
			measure->value = dp_expression_validate_expression(block, arg, statement, &reason);
			if (reason == NULL && measure->distinct_values)
				reason = tell_apart(measure);
			if (reason)
				return reason;
			measure->value_type = exprType(measure->value);
		}
	}
	measure->most_rows = bound;
	dp_pricing_init_release(contribution->pricing, &measure->release, &dp_kinds_count, epsilon);
	if (dp_pricing_clips(contribution) && aggref->aggdistinct == NIL)
		return dp_pricing_clip_count(measure, contribution);
	reason = dp_pricing_calibrate_count(&measure->release, 0, contribution, 1, bound, aggref->location);

	/* Whether a distinct value is one unit's to add may depend on others. */
	measure->release.noise[0].direction = measure->distinct_values ? 0 : 1;
	return reason;
}

static Node *
value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	if (dp_pricing_is_clipped(&measure->release))
		return dp_rewrite_clamped_value(rewrite, measure, number);
	return dp_rewrite_count_value(rewrite, measure, aggref, number);
}

static const DpFunction asked_by[] = {DP_FUNCTION_COUNT, DP_FUNCTION_OTHER};

const DpKind dp_kinds_count = {
	.number = DP_RELEASE_COUNT,
	.totals = 1,
	.counts = true,
	.whole = true,
	.one_way = true,
	.goes_with_groups = true,
	.scale = dp_pricing_scale_release,
	.told_rows = told_rows,
	.can_convert = can_convert,
	.suits_aggregates = true,
	.exact = exact,
	.ask = ask,
	.part = part,
	.draw = draw,
	.draw_clamped = dp_draw_clamped_total,
	.noise_weight = 1,
	.added_up = added_up,
	.functions = asked_by,
	.measure = measure_count,
	.value = value,
	.part_value = dp_rewrite_part_value,
};
