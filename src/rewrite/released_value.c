/*
 * released_value.c
 *	  What stands above a release for an aggregate: a conversion of its noisy totals.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"

#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "pricing/clipping.h"
#include "pricing/joint.h"
#include "pricing/kind.h"
#include "pricing/model.h"
#include "pricing/moments.h"
#include "pricing/quantile.h"
#include "pricing/selector.h"
#include "rewrite/released_value.h"
#include "tree/make_nodes.h"

/* The noisy total of a release whose clamp was chosen, on the grid of the least clamp's noise. */
static Node *
clamped_total(Node *totals)
{
	Oid			type = BYTEAOID;

	return (Node *) dp_tree_make_call("released_clamped", &type, 1, list_make1(totals), BYTEAOID);
}

/* A release whose clamp was chosen, as the type the aggregate returns. */
static Node *
convert_clamped(const DpMeasure *measure, Var *totals)
{
	Oid			types[] = {BYTEAOID, INT4OID};
	Oid			type = measure->aggref->aggtype;
	const char *name = type == INT8OID ? "released_bigint" : type == NUMERICOID ? "released_numeric" : "released_float8";
	int			grid = dp_pricing_clip_noise(&measure->release, 0, 0).grid;

	return (Node *) dp_tree_make_call(name, types, 2,
									  list_make2(clamped_total((Node *) totals), dp_tree_make_int4(grid)), type);
}

/* The conversion of a noisy total in units of 2^grid to the type that the aggregate returns. */
static Node *
convert_total(const Aggref *aggref, Node *totals, int grid)
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

/* The mean from a noisy pair of totals, within the bounds, as a double. */
static Node *
convert_mean(const DpMeasure *measure, Node *totals)
{
	Oid			types[] = {BYTEAOID, FLOAT8OID, FLOAT8OID, INT4OID, INT4OID};
	const DpNoise *noise = measure->release.noise;
	List	   *args = list_make3(totals, dp_tree_make_float8(measure->lower),
								  dp_tree_make_float8(measure->upper));

	if (noise[0].mechanism == DP_LAPLACE)
		return (Node *) dp_tree_make_call("released_mean_laplace", types, 3, args, FLOAT8OID);
	args = lappend(args, dp_tree_make_int4(noise[0].grid));
	args = lappend(args, dp_tree_make_int4(noise[1].grid));
	return (Node *) dp_tree_make_call("released_mean_gaussian", types, 5, args, FLOAT8OID);
}

/* The same as the type the aggregate returns: a numeric has its 15 leading digits. */
static Node *
convert_avg(const DpMeasure *measure, Node *totals)
{
	Node	   *mean = convert_mean(measure, totals);

	if (measure->aggref->aggtype == FLOAT8OID)
		return mean;
	return (Node *) dp_tree_make_call("released_digits", (Oid[]) {FLOAT8OID}, 1, list_make1(mean), NUMERICOID);
}

/* A count is a bigint already, or the noisy total of contributions. */
static Node *
convert_count(Var *totals)
{
	Oid			types[] = {BYTEAOID, INT4OID};

	if (totals->vartype == INT8OID)
		return (Node *) totals;
	return (Node *) dp_tree_make_call("released_bigint", types, 2,
									  list_make2(totals, dp_tree_make_int4(0)), INT8OID);
}

const DpMeasure *
dp_rewrite_measure_of(const DpBlockRewrite *rewrite, Aggref *aggref, int *number)
{
	const DpMeasure *measure;
	int			asked = dp_tree_number_of_node(rewrite->measured, dp_pricing_released_as(aggref));
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

/* What stands above the release that answers another aggregate too, of that number. */
static Node *
convert_part(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	int			grid = dp_pricing_grid_of_part(measure);
	Var		   *totals = copyObject(list_nth_node(Var, rewrite->column_vars, number));
	Node	   *mean;

	if (measure->release.kind != DP_RELEASE_AVG)
		return convert_total(aggref, dp_pricing_joint_total(measure, totals, grid), grid);
	mean = dp_pricing_released_moments(measure->carrier, aggref, dp_rewrite_totals_of_rows(rewrite, number));
	if (aggref->aggtype == FLOAT8OID)
		return mean;
	return (Node *) dp_tree_make_call("released_digits", (Oid[]) {FLOAT8OID}, 1, list_make1(mean), NUMERICOID);
}

Node *
dp_rewrite_released_value(DpBlockRewrite *rewrite, Aggref *aggref)
{
	int			number;
	const DpMeasure *measure = dp_rewrite_measure_of(rewrite, aggref, &number);
	Var		   *totals = copyObject(list_nth_node(Var, rewrite->column_vars, number));

	if (measure->carrier)
		return convert_part(rewrite, measure, aggref, number);
	if (dp_pricing_is_clipped(&measure->release) && measure->release.kind != DP_RELEASE_AVG)
		return convert_clamped(measure, totals);
	switch (measure->release.kind)
	{
		case DP_RELEASE_COUNT:
		case DP_RELEASE_LOSSES:
			return convert_count(totals);
		case DP_RELEASE_SUM:
			return convert_total(measure->aggref, (Node *) totals, measure->spec.grid);
		case DP_RELEASE_AVG:
			return convert_avg(measure, dp_rewrite_totals_of_rows(rewrite, number));
		case DP_RELEASE_QUANTILE:
			return dp_pricing_convert_quantile(measure, totals);
		case DP_RELEASE_MOMENTS:
			return dp_pricing_released_moments(measure, aggref, dp_rewrite_totals_of_rows(rewrite, number));
		case DP_RELEASE_MODEL:
		case DP_RELEASE_PASSES:
			return dp_pricing_released_model(measure, totals);
		case DP_RELEASE_CLASSES:
		case DP_RELEASE_TABLES:
			return (Node *) totals;
	}
	elog(ERROR, "unknown kind of release: %d", (int) measure->release.kind);
}
