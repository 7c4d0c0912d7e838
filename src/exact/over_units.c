/*
 * over_units.c
 *	  What a block asks of the node that adds up units.
 *
 * The node knows units and keys by their bytes, so each must have one form per
 * value.  Keys have (canonical_key.c), but for numerics with a declared scale, which
 * servers of old stored in two ways.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/numeric.h"

#include "exact/over_units.h"
#include "expression/canonical_key.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "pricing/chosen_groups.h"
#include "pricing/moments.h"
#include "pricing/quantile.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"
#include "units/ask.h"

/* A numeric as PostgreSQL forms it today, of the same value and scale. */
static Node *
reform(Node *expr)
{
	Const	   *zero;

	if (exprType(expr) != NUMERICOID)
		return expr;
	zero = makeConst(NUMERICOID, -1, InvalidOid, -1, NumericGetDatum(int64_to_numeric(0)),
					 false, false);
	return (Node *) makeFuncExpr(F_NUMERIC_ADD, NUMERICOID, list_make2(expr, zero),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

Node *
dp_exact_bytes_of_unit(Node *unit)
{
	return reform(dp_expression_canonical_unit(unit));
}

Node *
dp_exact_bytes_of_key(Node *key)
{
	return reform(key);
}

static DpUnitsKind
kind_of(const DpMeasure *measure)
{
	if (measure == NULL || measure->distinct_units)
		return DP_UNITS_UNITS;
	switch (measure->release.kind)
	{
		case DP_RELEASE_COUNT:
			return measure->distinct_values ? DP_UNITS_VALUES : DP_UNITS_ROWS;
		case DP_RELEASE_SUM:
			return measure->distinct_values ? DP_UNITS_VALUE_SUM : DP_UNITS_SUM;
		case DP_RELEASE_AVG:
			return measure->distinct_values ? DP_UNITS_VALUE_MEAN : DP_UNITS_MEAN;
		case DP_RELEASE_QUANTILE:
			return DP_UNITS_CELLS;
		case DP_RELEASE_MOMENTS:
			return DP_UNITS_MOMENTS;
		case DP_RELEASE_MODEL:
		case DP_RELEASE_PASSES:
		case DP_RELEASE_LOSSES:
		case DP_RELEASE_CLASSES:
		case DP_RELEASE_TABLES:
			break;
	}
	elog(ERROR, "unknown release kind %d", (int) measure->release.kind);
}

/* What is asked is of this kind, and of all rows of units. */
static DpUnitsAsk
start_ask(const DpBlockRewrite *rewrite, DpUnitsKind kind)
{
	return (DpUnitsAsk)
	{
		.kind = kind,
			.max_groups = rewrite->contribution.max_groups,
			.max_rows = rewrite->contribution.max_rows,
			.rows_are_units = rewrite->contribution.row_is_unit,
			.by_parts = rewrite->contribution.foreign
	};
}

Node *
dp_exact_over_units(DpBlockRewrite *rewrite, Node *unit, const DpMeasure *measure, Node *part)
{
	DpUnitsAsk	ask = start_ask(rewrite, kind_of(measure));
	Node	   *value = makeBoolConst(true, false);

	if (measure && (ask.kind == DP_UNITS_ROWS || measure->distinct_values))
		ask.max_rows = measure->most_rows;
	if (measure && (measure->release.kind == DP_RELEASE_SUM || measure->release.kind == DP_RELEASE_AVG))
	{
		ask.grid = measure->spec.grid;
		ask.lower = measure->spec.lower;
		ask.upper = measure->spec.upper;
	}
	if (measure)
		ask.ladder = measure->release.ladder;
	if (ask.kind == DP_UNITS_CELLS)
	{
		const DpCellSpec *spec = &measure->quantile->spec;

		ask.grid = spec->grid;
		ask.lower = spec->lower;
		ask.upper = spec->upper;
		ask.max_rows = spec->max_rows;
		ask.multiplier = spec->multiplier;
		ask.cells = spec->cells;
	}
	if (ask.kind == DP_UNITS_MOMENTS)
	{
		ask.shape = measure->moments.shape;
		ask.upper = measure->moments.upper_x;
		ask.lower = measure->moments.lower_x;
		ask.width_y = measure->moments.upper_y - measure->moments.lower_y;
		ask.grid = measure->value_y ? 0 : measure->moments.grid_x;
		value = linitial(dp_pricing_moments_arguments(measure));
	}
	else if (ask.kind != DP_UNITS_UNITS && measure->value)
		value = copyObject(measure->value);
	if (ask.kind == DP_UNITS_VALUES)
		value = reform(value);
	if (part)
		value = part;
	return (Node *) dp_tree_make_unit_aggregate("over_units", copyObject(unit), value,
												dp_tree_make_bytea(&ask, sizeof(ask)));
}

Node *
dp_exact_classes_over_units(DpBlockRewrite *rewrite, Node *unit)
{
	DpUnitsAsk	ask = start_ask(rewrite, DP_UNITS_CLASSES);

	ask.ladder = dp_pricing_group_ladder(rewrite->block->max_groups);
	return (Node *) dp_tree_make_unit_aggregate("over_units", copyObject(unit), makeBoolConst(true, false),
												dp_tree_make_bytea(&ask, sizeof(ask)));
}
