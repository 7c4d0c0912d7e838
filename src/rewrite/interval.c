/* SPDX-License-Identifier: PostgreSQL */
/*
 * interval.c
 *	  dp_interval(aggregate, level): where the aggregate would lie without noise.
 *
 * It stands in the outer query: computed from released values and from the public
 * parameters of their noise.  So it costs nothing, and belongs to the very answer that
 * stands beside it.
 *
 * Around a count or sum the interval is the noise's own.  Where that count decides
 * whether its group is answered, answers near the threshold are there only because
 * noise was large, and the lower end has to hold given that there is an answer: P[miss
 * | answered].  Let P[Z > h] <= miss / 4.  The lower end is x - h for x > threshold +
 * h, else 1, which is certain.  Two cases:
 *	 a true count t at the threshold or above is answered with probability 1/2 at least;
 *	 one below is missed only if Z > threshold - t + h, given Z >= threshold - t: for
 *	 Laplace noise a probability of P[Z > h] times at most 2, for Gaussian noise, whose tail
 *	 falls faster, no more than from t = threshold.
 * The upper end needs no care: being answered makes small answers rarer.
 *
 * Where the clamp of units' totals was chosen, nobody declared what it cuts.  So the interval holds that, too:
 * its upper end is farther by the most that is thought to be cut in all groups (aggregate/ladder_cut.h), and
 * so is the lower one where totals may be negative.  Half of what may miss is for either end, and half of
 * that for the noise.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

#include "aggregate/released.h"
#include "base/compat_varlena.h"
#include "expression/fold_constants.h"
#include "pricing/aggregate.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "pricing/chosen_groups.h"
#include "pricing/clipping.h"
#include "pricing/form_table.h"
#include "pricing/half_width.h"
#include "pricing/kind.h"
#include "pricing/statistic.h"
#include "rewrite/clamped_around.h"
#include "rewrite/interval.h"
#include "rewrite/interval_range.h"
#include "rewrite/of_class.h"
#include "rewrite/released_value.h"
#include "rewrite/term.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

PG_FUNCTION_INFO_V1(dp_rewrite_interval_around);
PG_FUNCTION_INFO_V1(dp_rewrite_interval_clamped);
PG_FUNCTION_INFO_V1(dp_rewrite_interval_of);

/* The range around a value, to so far below and above, which may be unknown. */
static Datum
range_around(Numeric value, double below, double above, bool from_one)
{
	Datum		low = (Datum) 0;
	Datum		high = (Datum) 0;

	if (isfinite(below))
		low = DirectFunctionCall2(numeric_sub, NumericGetDatum(value), dp_rewrite_numeric_of(below));
	if (isfinite(above))
		high = DirectFunctionCall2(numeric_add, NumericGetDatum(value), dp_rewrite_numeric_of(above));
	if (from_one)
		low = NumericGetDatum(int64_to_numeric(1));
	if (isfinite(below) && isfinite(above) && DatumGetBool(DirectFunctionCall2(numeric_lt, high, low)))
		low = high;
	return dp_rewrite_range_of(low, isfinite(below), high, isfinite(above));
}

/* A numeric as a double, infinite beyond all. */
static double
as_double(Numeric value)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value)));
}

/* The interval at this level around a value with such noise. */
static Datum
interval_around(Numeric value, const DpAround *around, double level)
{
	double		miss = 1 - level;
	double		below;
	double		above;
	double		approximate = as_double(value);

	above = dp_rewrite_around_width(around, level);
	below = around->threshold > -INFINITY ? dp_rewrite_around_width(around, 1 - miss / 2) : above;
	if (!isfinite(approximate) || !isfinite(above) || !isfinite(below))
		return dp_rewrite_range_of((Datum) 0, false, (Datum) 0, false);
	return range_around(value, below, above, around->threshold > -INFINITY &&
						approximate <= around->threshold + below + 1 + ldexp(1, around->spread.noise.grid));
}

/* interval_around(value numeric, around bytea, level float8) */
Datum
dp_rewrite_interval_around(PG_FUNCTION_ARGS)
{
	DpAround	around;
	double		level;

	dp_rewrite_read_around(PG_GETARG_BYTEA_PP(1), &around);
	if (!dp_rewrite_read_level(fcinfo, 2, &level))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(interval_around(PG_GETARG_NUMERIC(0), &around, level));
}

/* The interval at this level of a value whose clamp was chosen, of which this is known. */
static Datum
interval_clamped(Numeric value, const DpClampedAround *around, const DpLadderSeen *seen, double level)
{
	double		miss = 1 - level;
	DpAround	total = dp_rewrite_around_of_step(around, seen);
	double		noise = dp_rewrite_around_width(&total, level);
	double		missing = dp_rewrite_around_width(&total, 1 - miss / 2) + dp_rewrite_most_missing(around, seen, miss / 4);

	if (!isfinite(as_double(value)) || !isfinite(noise))
		return dp_rewrite_range_of((Datum) 0, false, (Datum) 0, false);
	return range_around(value, around->both_ways ? missing : noise, missing, false);
}

/*
 * interval_clamped(value numeric, around bytea, level float8, totals bytea): the same of a value
 * whose clamp was chosen, and tells what is seen of it, around being a DpClampedAround.
 */
Datum
dp_rewrite_interval_clamped(PG_FUNCTION_ARGS)
{
	DpClampedAround around;
	DpLadderSeen seen;
	double		level;

	dp_rewrite_read_clamped_around(PG_GETARG_BYTEA_PP(1), &around);
	dp_rewrite_read_seen(PG_GETARG_BYTEA_PP(3), &around, &seen);
	if (!dp_rewrite_read_level(fcinfo, 2, &level))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(interval_clamped(PG_GETARG_NUMERIC(0), &around, &seen, level));
}

bool
dp_rewrite_read_interval(FunctionCallInfo fcinfo, double *low, double *high)
{
	double		level;
	DpEstimate	estimate;
	double		totals[DP_MOMENTS_MOST];

	dp_aggregate_read_estimate(PG_GETARG_BYTEA_PP(1), PG_GETARG_BYTEA_PP(0), &estimate, totals);
	if (!dp_rewrite_read_level(fcinfo, 2, &level) || !dp_aggregate_estimate_has_rows(&estimate, totals))
		return false;
	dp_aggregate_estimate_interval(&estimate, totals, level, low, high);

	/* Numerics made of doubles have 15 digits. */
	if (estimate.statistic != DP_STATISTIC_CORR || *low > -1)
		*low -= fabs(*low) * 1e-14;
	if (estimate.statistic != DP_STATISTIC_CORR || *high < 1)
		*high += fabs(*high) * 1e-14;
	return true;
}

/* interval_of(totals bytea, estimate bytea, level float8) */
Datum
dp_rewrite_interval_of(PG_FUNCTION_ARGS)
{
	double		low;
	double		high;

	if (!dp_rewrite_read_interval(fcinfo, &low, &high))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(dp_rewrite_make_range(low, high));
}

/* The release as seen from a value of its aggregate, or of one that it answers too. */
static Const *
make_around(const DpBlock *block, void *arg)
{
	const DpAskedInterval *seen = arg;
	const DpRelease *release = &block->release[seen->number];
	DpAround   *around = palloc0(sizeof(DpAround));

	around->integral = seen->aggref->aggtype == INT8OID;
	dp_rewrite_set_spread(&around->spread, release, seen->measure);
	around->threshold = dp_rewrite_selects_by(block, seen->number);
	return dp_tree_make_bytea(around, sizeof(DpAround));
}

/* The same of one whose clamp is chosen. */
static Const *
make_clamped_around(const DpBlock *block, void *arg)
{
	const DpAskedInterval *asked = arg;
	const DpRelease *release = &block->release[asked->number];
	DpClampedAround *around = palloc0(sizeof(DpClampedAround));

	Assert(dp_rewrite_selects_by(block, asked->number) == -INFINITY);
	around->integral = asked->aggref->aggtype == INT8OID;
	around->spread.noise = dp_pricing_clip_noise(release, 0, 0);
	around->choice.noise = release->choice;
	around->steps = release->ladder.steps;
	around->both_ways = release->ladder.kind == DP_LADDER_SIGNED;
	around->least_clamp = dp_pricing_clip_bound(release, 0);
	if (dp_pricing_chooses_groups(block))
	{
		around->classes.noise = block->release[block->chooser].noise[0];
		around->more_classes = dp_pricing_group_classes(block) - 1 - block->release[block->chooser].chosen;
	}
	return dp_tree_make_bytea(around, sizeof(DpClampedAround));
}

/* The release as seen from a mean or a statistic. */
static Const *
make_estimate(const DpBlock *block, void *arg)
{
	const DpAskedInterval *seen = arg;
	DpMeasure	measure = seen->measure->carrier ? *seen->measure->carrier : *seen->measure;

	measure.release = block->release[seen->number];
	return dp_pricing_make_estimate(&measure, seen->aggref, seen->number == block->selector ? (double) block->threshold : 0);
}

/* A count or sum as a numeric. */
static Node *
as_numeric(Node *value)
{
	Oid			function = exprType(value) == INT8OID ? F_NUMERIC_INT8 : F_NUMERIC_FLOAT8;

	if (exprType(value) == NUMERICOID)
		return value;
	return (Node *) makeFuncExpr(function, NUMERICOID, list_make1(value), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* The interval of a count or sum. */
static Node *
around_value(DpBlockRewrite *rewrite, const DpAskedInterval *asked)
{
	Oid			types[] = {NUMERICOID, BYTEAOID, FLOAT8OID, BYTEAOID};
	bool		clipped = dp_pricing_is_clipped(&rewrite->block->release[asked->number]);
	List	   *args = list_make3(as_numeric(dp_rewrite_released_value(rewrite, asked->aggref)),
								  dp_rewrite_of_class(rewrite, clipped ? make_clamped_around : make_around,
													  unconstify(DpAskedInterval *, asked)), asked->level);

	if (clipped)
		args = lappend(args, copyObject(list_nth(rewrite->column_vars, asked->number)));
	return (Node *) dp_tree_make_call(clipped ? "interval_clamped" : "interval_around", types, list_length(args),
									  args, NUMRANGEOID);
}

Node *
dp_rewrite_interval_by(const char *function, DpBlockRewrite *rewrite, const DpAskedInterval *asked)
{
	Oid			types[] = {BYTEAOID, BYTEAOID, FLOAT8OID};

	return (Node *) dp_tree_make_call(function, types, lengthof(types),
									  list_make3(dp_rewrite_totals_of_rows(rewrite, asked->number),
												 dp_rewrite_of_class(rewrite, make_estimate,
																	 unconstify(DpAskedInterval *, asked)),
												 asked->level),
									  NUMRANGEOID);
}

Node *
dp_rewrite_statistic_interval(DpBlockRewrite *rewrite, const DpAskedInterval *asked, DpReason **untold)
{
	return dp_rewrite_interval_by("interval_of", rewrite, asked);
}

DpReason *
dp_rewrite_check_level(Node *level, const DpStatement *statement)
{
	const Const *constant = dp_expression_constant(level, statement->params);

	if (constant == NULL || constant->constisnull ||
		(DatumGetFloat8(constant->constvalue) > 0 && DatumGetFloat8(constant->constvalue) < 1))
		return NULL;
	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(level), NULL,
							 "confidence level must be between 0 and 1");
}

Node *
dp_rewrite_interval_of_asked(DpBlockRewrite *rewrite, const DpAskedInterval *asked)
{
	const DpKind *kind = dp_kind(&asked->measure->release);
	DpReason   *untold = NULL;
	Node	   *interval = kind->interval ? kind->interval(rewrite, asked, &untold) : around_value(rewrite, asked);

	return untold ? NULL : interval;
}

Node *
dp_rewrite_released_interval(DpBlockRewrite *rewrite, FuncExpr *call, Node *level, DpReason **reason)
{
	Aggref	   *aggref = linitial(call->args);
	DpAskedInterval asked = {.aggref = aggref, .level = level};
	DpReason   *untold = NULL;
	const DpKind *kind;
	Node	   *interval;

	if (!IsA(aggref, Aggref) || !dp_tree_is_ours((Node *) aggref) || aggref->agglevelsup > 0)
		return (Node *) call;
	if (level == NULL)
		asked.level = (Node *) dp_tree_make_float8(DP_DEFAULT_LEVEL);
	*reason = dp_rewrite_check_level(asked.level, rewrite->statement);
	asked.measure = dp_rewrite_measure_of(rewrite, aggref, &asked.number);
	rewrite->block->noise_above = true;
	kind = dp_kind(&asked.measure->release);
	interval = kind->interval ? kind->interval(rewrite, &asked, &untold) : around_value(rewrite, &asked);
	if (untold)
		*reason = untold;
	return untold ? (Node *) call : interval;
}

/* Can groups be told apart by a hash of these keys? */
static bool
can_hash(List *keys)
{
	ListCell   *lc;

	foreach(lc, keys)
		if (!OidIsValid(lookup_type_cache(exprType(lfirst(lc)), TYPECACHE_HASH_EXTENDED_PROC)->hash_extended_proc))
			return false;
	return true;
}

/* A number for a group of the block: hash_record_extended(ROW(keys), 0), or 0 without keys. */
static Node *
row_number(const DpBlockRewrite *rewrite, bool told)
{
	RowExpr    *row = makeNode(RowExpr);

	if (!told || rewrite->key_vars == NIL)
		return (Node *) dp_tree_make_int8(0);
	row->args = copyObject(rewrite->key_vars);
	row->row_typeid = RECORDOID;
	row->row_format = COERCE_EXPLICIT_CALL;
	row->location = -1;
	return (Node *) makeFuncExpr(F_HASH_RECORD_EXTENDED, INT8OID, list_make2(row, dp_tree_make_int8(0)),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The term of a count or sum. */
static Node *
term_around(DpBlockRewrite *rewrite, DpAskedInterval *asked, List *place)
{
	Oid			types[] = {BYTEAOID, INT8OID, NUMERICOID, BYTEAOID, BYTEAOID};
	bool		clipped = dp_pricing_is_clipped(&rewrite->block->release[asked->number]);

	place = lappend(place, as_numeric(dp_rewrite_released_value(rewrite, asked->aggref)));
	place = lappend(place, dp_rewrite_of_class(rewrite, clipped ? make_clamped_around : make_around, asked));
	if (clipped)
		place = lappend(place, copyObject(list_nth(rewrite->column_vars, asked->number)));
	return (Node *) dp_tree_make_call(clipped ? "term_clamped" : "term_around", types, list_length(place), place, BYTEAOID);
}

Node *
dp_rewrite_released_term(DpBlockRewrite *rewrite, Aggref *aggref, DpReason **reason)
{
	Oid			types[] = {BYTEAOID, INT8OID, BYTEAOID, BYTEAOID};
	DpAskedInterval asked = {.aggref = aggref};
	DpTermOrigin *origin = palloc0(sizeof(DpTermOrigin));
	Node	   *(*interval) (DpBlockRewrite *, const DpAskedInterval *, DpReason **);
	List	   *place;

	asked.measure = dp_rewrite_measure_of(rewrite, aggref, &asked.number);
	origin->block = list_length(rewrite->statement->blocks);
	origin->release = asked.number;
	origin->part = dp_tree_number_of_node(rewrite->measured, dp_pricing_made_of(aggref));
	origin->told = can_hash(rewrite->key_vars);
	place = list_make2(dp_tree_make_bytea(origin, sizeof(DpTermOrigin)), row_number(rewrite, origin->told));
	interval = dp_kind(&asked.measure->release)->interval;
	if (interval == NULL && dp_form(rewrite->block)->of_groups)
		return term_around(rewrite, &asked, place);
	if (interval == dp_rewrite_statistic_interval)
		return (Node *) dp_tree_make_call("term_of", types, lengthof(types),
										  lappend(lappend(place, dp_rewrite_totals_of_rows(rewrite, asked.number)),
												  dp_rewrite_of_class(rewrite, make_estimate, &asked)), BYTEAOID);
	*reason = dp_tree_reason(aggref->location, "Counts, sums, means, variances and their like have intervals in arithmetic; of others ask dp_interval by themselves.",
							 "dp_interval of arithmetic on this aggregate is not allowed");
	return NULL;
}
