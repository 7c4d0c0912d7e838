/*
 * released_value.c
 *	  What stands above a release for an aggregate: a conversion of its noisy totals.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"

#include "query/block/aggregate_args.h"
#include "query/block/block.h"
#include "query/block/block_rewrite.h"
#include "query/block/clipping.h"
#include "query/block/model.h"
#include "query/block/moments.h"
#include "query/block/quantile.h"
#include "query/nodes/make_nodes.h"
#include "query/rewrite/released_value.h"

/* The noisy total of a release whose clamp was chosen, on the grid of the least clamp's noise. */
static Node *
clamped_total(Node *totals)
{
	Oid			type = BYTEAOID;

	return (Node *) dp_query_make_call("released_clamped", &type, 1, list_make1(totals), BYTEAOID);
}

/* A release whose clamp was chosen, as the type the aggregate returns. */
static Node *
convert_clamped(const DpMeasure *measure, Var *totals)
{
	Oid			types[] = {BYTEAOID, INT4OID};
	Oid			type = measure->aggref->aggtype;
	const char *name = type == INT8OID ? "released_bigint" : type == NUMERICOID ? "released_numeric" : "released_float8";
	int			grid = dp_query_clip_noise(&measure->release, 0, 0).grid;

	return (Node *) dp_query_make_call(name, types, 2,
									   list_make2(clamped_total((Node *) totals), dp_query_make_int4(grid)), type);
}

/* The conversion of a noisy sum to the type its values have. */
static Node *
convert_sum(const DpMeasure *measure, Var *totals)
{
	Oid			types[] = {BYTEAOID, INT4OID};
	List	   *args = list_make2(totals, dp_query_make_int4(measure->spec.grid));

	switch (measure->aggref->aggtype)
	{
		case INT8OID:
			return (Node *) dp_query_make_call("released_bigint", types, 2, args, INT8OID);
		case NUMERICOID:
			return (Node *) dp_query_make_call("released_numeric", types, 2, args, NUMERICOID);
		default:
			return (Node *) dp_query_make_call("released_float8", types, 2, args, FLOAT8OID);
	}
}

/* The mean from a noisy pair of totals, within the bounds, as a double. */
static Node *
convert_mean(const DpMeasure *measure, Var *totals)
{
	Oid			types[] = {BYTEAOID, FLOAT8OID, FLOAT8OID, INT4OID, INT4OID};
	const DpNoise *noise = measure->release.noise;
	List	   *args = list_make3(totals, dp_query_make_float8(measure->lower),
								  dp_query_make_float8(measure->upper));

	if (noise[0].mechanism == DP_LAPLACE)
		return (Node *) dp_query_make_call("released_mean_laplace", types, 3, args, FLOAT8OID);
	args = lappend(args, dp_query_make_int4(noise[0].grid));
	args = lappend(args, dp_query_make_int4(noise[1].grid));
	return (Node *) dp_query_make_call("released_mean_gaussian", types, 5, args, FLOAT8OID);
}

/* The same as the type the aggregate returns: a numeric has its 15 leading digits. */
static Node *
convert_avg(const DpMeasure *measure, Var *totals)
{
	Node	   *mean = convert_mean(measure, totals);

	if (measure->aggref->aggtype == FLOAT8OID)
		return mean;
	return (Node *) dp_query_make_call("released_digits", (Oid[]) {FLOAT8OID}, 1, list_make1(mean), NUMERICOID);
}

/* A count is a bigint already, or the noisy total of contributions. */
static Node *
convert_count(Var *totals)
{
	Oid			types[] = {BYTEAOID, INT4OID};

	if (totals->vartype == INT8OID)
		return (Node *) totals;
	return (Node *) dp_query_make_call("released_bigint", types, 2,
									   list_make2(totals, dp_query_make_int4(0)), INT8OID);
}

int
dp_query_measure_of(const DpBlockRewrite *rewrite, Aggref *aggref)
{
	int			number = dp_query_number_of_node(rewrite->measured, dp_query_released_as(aggref));

	if (number < 0)
		elog(ERROR, "aggregate was not measured");
	return number;
}

Node *
dp_query_released_value(DpBlockRewrite *rewrite, Aggref *aggref)
{
	int			number = dp_query_measure_of(rewrite, aggref);
	const DpMeasure *measure = list_nth(rewrite->measures, number);
	Var		   *totals = copyObject(list_nth_node(Var, rewrite->column_vars, number));

	if (dp_query_is_clipped(&measure->release) && measure->release.kind != DP_RELEASE_AVG)
		return convert_clamped(measure, totals);
	switch (measure->release.kind)
	{
		case DP_RELEASE_COUNT:
			return convert_count(totals);
		case DP_RELEASE_SUM:
			return convert_sum(measure, totals);
		case DP_RELEASE_AVG:
			return convert_avg(measure, totals);
		case DP_RELEASE_QUANTILE:
			return dp_query_convert_quantile(measure, totals);
		case DP_RELEASE_MOMENTS:
			return dp_query_released_moments(measure, aggref, totals);
		case DP_RELEASE_MODEL:
			return dp_query_released_model(measure, totals);
	}
	elog(ERROR, "unknown kind of release: %d", (int) measure->release.kind);
}
