/* SPDX-License-Identifier: PostgreSQL */
/*
 * released_value.c
 *	  Expression for an aggregate in the outer query: a conversion of its noisy totals.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "pricing/aggregate.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "pricing/clipping.h"
#include "pricing/joint.h"
#include "pricing/kind.h"
#include "pricing/selector.h"
#include "rewrite/released_value.h"
#include "tree/make_nodes.h"

Node *
dp_rewrite_totals(const DpBlockRewrite *rewrite, int number)
{
	return copyObject(list_nth(rewrite->column_vars, number));
}

/* The noisy total of a release whose clamp was chosen, on the grid of the least clamp's noise. */
static Node *
clamped_total(Node *totals)
{
	Oid			type = BYTEAOID;

	return (Node *) dp_tree_make_call("released_clamped", &type, 1, list_make1(totals), BYTEAOID);
}

Node *
dp_rewrite_clamped_value(const DpBlockRewrite *rewrite, const DpMeasure *measure, int number)
{
	Oid			types[] = {BYTEAOID, INT4OID};
	Oid			type = measure->aggref->aggtype;
	const char *name = type == INT8OID ? "released_bigint" : type == NUMERICOID ? "released_numeric" : "released_float8";
	int			grid = dp_pricing_clip_noise(&measure->release, 0, 0).grid;

	return (Node *) dp_tree_make_call(name, types, 2,
									  list_make2(clamped_total(dp_rewrite_totals(rewrite, number)), dp_tree_make_int4(grid)), type);
}

Node *
dp_rewrite_convert_total(const Aggref *aggref, Node *totals, int grid)
{
	Oid			types[] = {BYTEAOID, INT4OID};
	List	   *args = list_make2(totals, dp_tree_make_int4(grid));

	switch (aggref->aggtype)
	{
		case INT8OID:
			return (Node *) dp_tree_make_call("released_bigint", types, 2, args, INT8OID);
		case NUMERICOID:
			return (Node *) dp_tree_make_call("released_numeric", types, 2, args, NUMERICOID);
		default:
			return (Node *) dp_tree_make_call("released_float8", types, 2, args, FLOAT8OID);
	}
}

Node *
dp_rewrite_count_value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	Oid			types[] = {BYTEAOID, INT4OID};
	Node	   *totals = dp_rewrite_totals(rewrite, number);

	if (exprType(totals) == INT8OID)
		return totals;
	return (Node *) dp_tree_make_call("released_bigint", types, 2,
									  list_make2(totals, dp_tree_make_int4(0)), INT8OID);
}

const DpMeasure *
dp_rewrite_measure_of(const DpBlockRewrite *rewrite, Aggref *aggref, int *number)
{
	const DpMeasure *measure;
	int			asked = dp_tree_number_of_node(rewrite->measured, dp_pricing_made_of(aggref));
	ListCell   *lc;

	if (asked < 0)
		elog(ERROR, "aggregate was not measured");
	measure = list_nth(rewrite->asked, asked);
	foreach(lc, rewrite->measures)
		if (lfirst(lc) == (measure->carrier ? measure->carrier : measure))
		{
			*number = foreach_current_index(lc);
			return measure;
		}
	elog(ERROR, "aggregate is not released");
}

Node *
dp_rewrite_totals_of_rows(const DpBlockRewrite *rewrite, int number)
{
	Oid			types[] = {BYTEAOID, INT4OID};
	const DpRelease *release = &rewrite->block->release[number];
	Node	   *totals = copyObject(list_nth(rewrite->column_vars, number));

	if (release->answers == 0)
		return totals;
	return (Node *) dp_tree_make_call("totals_of_rows", types, lengthof(types),
									  list_make2(totals, dp_tree_make_int4(dp_pricing_totals_of(release))), BYTEAOID);
}

Node *
dp_rewrite_part_value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	int			grid = dp_pricing_grid_of_part(measure);
	Var		   *totals = castNode(Var, dp_rewrite_totals(rewrite, number));

	return dp_rewrite_convert_total(aggref, dp_pricing_joint_total(measure, totals, grid), grid);
}

Node *
dp_rewrite_released_value(DpBlockRewrite *rewrite, Aggref *aggref)
{
	int			number;
	const DpMeasure *measure = dp_rewrite_measure_of(rewrite, aggref, &number);
	const DpKind *kind = dp_kind(&measure->release);

	return (measure->carrier ? kind->part_value : kind->value) (rewrite, measure, aggref, number);
}
