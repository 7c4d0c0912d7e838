/* SPDX-License-Identifier: PostgreSQL */
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
#include "pricing/kind.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"
#include "units/ask.h"

Node *
dp_exact_reform(Node *expr)
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
	return dp_exact_reform(dp_expression_canonical_unit(unit));
}

Node *
dp_exact_bytes_of_key(Node *key)
{
	return dp_exact_reform(key);
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

void
dp_exact_ask_bounded(const DpMeasure *measure, DpUnitsKind kind, DpUnitsAsk *ask, Node **value)
{
	ask->kind = kind;
	if (measure->distinct_values)
		ask->max_rows = measure->most_rows;
	ask->grid = measure->spec.grid;
	ask->lower = measure->spec.lower;
	ask->upper = measure->spec.upper;
	*value = copyObject(measure->value);
}

Node *
dp_exact_over_units(DpBlockRewrite *rewrite, Node *unit, const DpMeasure *measure, Node *part)
{
	DpUnitsAsk	ask = start_ask(rewrite, DP_UNITS_UNITS);
	Node	   *value = makeBoolConst(true, false);

	if (measure)
		ask.ladder = measure->release.ladder;
	if (measure && !measure->distinct_units)
	{
		const DpKind *kind = dp_kind(&measure->release);

		if (kind->ask == NULL)
			elog(ERROR, "unknown release kind %d", (int) kind->number);
		kind->ask(measure, &ask, &value);
	}
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
