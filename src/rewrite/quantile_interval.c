/* SPDX-License-Identifier: PostgreSQL */
/*
 * quantile_interval.c
 *	  dp_interval of a quantile: between other quantiles of the same values.
 *
 * How far a rank may be off is known, how far apart in ranks two fractions are only where
 * the number of rows is.  So a count of the same rows has to be asked as well.  What may miss
 * is shared evenly by the least number of rows that this count leaves likely, and by the
 * ranks of the answers at either end (aggregate/rank_interval.h).  All draws are independent,
 * so that holds as well given that there are answers.  The count may decide on its group: then it has
 * to hold given that it was answered, as in interval.c.  The extremes tell of themselves without it.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/fmgroids.h"

#include "aggregate/rank_interval.h"
#include "aggregate/released.h"
#include "base/compat_varlena.h"
#include "policy/unique.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/half_width.h"
#include "pricing/kind.h"
#include "rewrite/interval_range.h"
#include "rewrite/quantile_interval.h"
#include "rewrite/released_value.h"
#include "tree/make_nodes.h"

/* The interval has that many ways to miss. */
#define WAYS 3

/* How quantiles of the same values and points were drawn, and a count of them, as a bytea constant in plans. */
typedef struct DpNeighbours
{
	int32		vl_len_;		/* varlena header */
	int32		count;			/* of quantiles */
	int32		asked;			/* the one whose interval it is */
	int32		padding;
	double		lower;			/* bounds of values */
	double		upper;
	DpSpread	spread;			/* of the number of rows */
	double		threshold;		/* that it has to reach; -INFINITY: none */
	DpRank		rank[FLEXIBLE_ARRAY_MEMBER];
} DpNeighbours;

#define NeighboursSize(n) (offsetof(DpNeighbours, rank) + (n) * sizeof(DpRank))

PG_FUNCTION_INFO_V1(dp_rewrite_interval_between);

static bool
is_sane(const DpNeighbours *all)
{
	for (int i = 0; i < all->count; i++)
		if (!dp_aggregate_rank_is_sane(&all->rank[i]))
			return false;
	return all->asked >= 0 && all->asked < all->count && isfinite(all->lower) && isfinite(all->upper) &&
		all->lower <= all->upper && dp_rewrite_is_sane_spread(&all->spread) && !isnan(all->threshold);
}

/* Read a DpNeighbours, of so many quantiles; 22023 for bytes that hold none. */
static DpNeighbours *
read_neighbours(const bytea *value, int count)
{
	Size		size = VARSIZE_ANY_EXHDR(value) + VARHDRSZ;
	DpNeighbours *all = palloc(Max(size, NeighboursSize(0)));

	memcpy((char *) all + VARHDRSZ, VARDATA_ANY(value), size - VARHDRSZ);
	if (size < NeighboursSize(1) || all->count != count || size != NeighboursSize(count) || !is_sane(all))
		dp_aggregate_refuse_description();
	return all;
}

/* The least number of rows that a noisy count leaves likely: it is less with probability `miss` at most. */
static double
least_rows(const DpNeighbours *all, double rows, double miss)
{
	bool		selects = all->threshold > -INFINITY;
	double		below = ceil(dp_rewrite_spread_width(&all->spread, 1 - (selects ? 1 : 2) * miss));

	if (selects && rows <= all->threshold + below + 1)
		return 1;
	return Max(rows - below, 0);
}

/* interval_between(answers float8[], rows float8, neighbours bytea, level float8) */
Datum
dp_rewrite_interval_between(PG_FUNCTION_ARGS)
{
	double		level;
	double		miss;
	DpNeighbours *all;
	Datum	   *values;
	bool	   *nulls;
	double	   *answers;
	int			count;
	double		low;
	double		high;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &values, &nulls, &count);
	all = read_neighbours(PG_GETARG_BYTEA_PP(2), count);
	if (!dp_rewrite_read_level(fcinfo, 3, &level) || nulls[all->asked])
		PG_RETURN_NULL();
	miss = (1 - level) / WAYS;
	answers = palloc0(count * sizeof(double));
	for (int i = 0; i < count; i++)
		if (!nulls[i])
			answers[i] = DatumGetFloat8(values[i]);
	dp_aggregate_rank_interval(all->rank, answers, nulls, count, all->asked, least_rows(all, PG_GETARG_FLOAT8(1), miss), miss,
							   all->lower, all->upper, &low, &high);
	PG_RETURN_DATUM(dp_rewrite_make_range(low, high));
}

/* Are they quantiles of the same values, at the same points? */
static bool
are_alike(const DpMeasure *x, const DpMeasure *y)
{
	return x->quantile && y->quantile && x->quantile->lower == y->quantile->lower &&
		x->quantile->upper == y->quantile->upper && x->quantile->step == y->quantile->step &&
		x->quantile->spec.cells == y->quantile->spec.cells && x->quantile->spec.grid == y->quantile->spec.grid &&
		equal(x->value, y->value);
}

/* Does a measure count the rows that have these values?  Where they are NULL, none are. */
static bool
counts_rows(const DpBlockRewrite *rewrite, const DpMeasure *measure, Node *value)
{
	if (!dp_kind(&measure->release)->counts || measure->distinct_units || measure->distinct_values)
		return false;
	if (measure->value == NULL || (IsA(measure->value, Const) && !((Const *) measure->value)->constisnull))
		return !dp_policy_can_be_null(rewrite->query, value);
	return equal(measure->value, value);
}

/* The measure that does, or NULL. */
static const DpMeasure *
find_count(const DpBlockRewrite *rewrite, Node *value)
{
	ListCell   *lc;

	foreach(lc, rewrite->asked)
		if (counts_rows(rewrite, lfirst(lc), value))
			return lfirst(lc);
	return NULL;
}

Aggref *
dp_rewrite_rows_of_quantile(const DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	const DpMeasure *counted = find_count(rewrite, measure->value);

	return counted ? counted->aggref : NULL;
}

double
dp_rewrite_asked_fraction(const DpRelease *release)
{
	if (release->split.sharers > 0)
		return ldexp((double) release->split.asked, -DP_ASKED_BITS);
	return ldexp((double) release->rank.fraction, -release->rank.fraction_bits);
}

static void
set_rank(DpRank *rank, const DpBlock *block, int i)
{
	const DpRelease *release = &block->release[i];
	DpRankError error = dp_pricing_rank_error(block, release);

	rank->fraction = dp_rewrite_asked_fraction(release);
	rank->slack = error.inside;
	rank->scale = error.scale;
	rank->points = error.alternatives;
	rank->drift = error.drift;
}

/* Releases of the quantiles that are alike, as an array; NULLs among them. */
static Node *
make_answers(DpBlockRewrite *rewrite, int n, DpNeighbours *all)
{
	const DpMeasure *measure = list_nth(rewrite->measures, n);
	ArrayExpr  *array = makeNode(ArrayExpr);
	ListCell   *lc;

	foreach(lc, rewrite->measures)
	{
		int			i = foreach_current_index(lc);
		const DpMeasure *like = lfirst(lc);

		if (!are_alike(like, measure))
			continue;
		if (i == n)
			all->asked = all->count;
		array->elements = lappend(array->elements, dp_kind(&like->release)->value(rewrite, like, like->aggref, i));
		set_rank(&all->rank[all->count++], rewrite->block, i);
	}
	array->array_typeid = FLOAT8ARRAYOID;
	array->element_typeid = FLOAT8OID;
	array->location = -1;
	return (Node *) array;
}

/* The number of rows that a measure counts, with its noise; none, for certain, without one. */
static Node *
set_rows(DpBlockRewrite *rewrite, const DpMeasure *counted, DpNeighbours *all)
{
	Node	   *rows;
	int			number;

	all->threshold = -INFINITY;
	if (counted == NULL)
	{
		all->spread.noise = (DpNoise) {.mechanism = DP_LAPLACE, .scale_num = 1, .scale_den = 1};
		return (Node *) dp_tree_make_float8(0);
	}
	(void) dp_rewrite_measure_of(rewrite, counted->aggref, &number);
	dp_rewrite_set_spread(&all->spread, &rewrite->block->release[number], counted);
	all->threshold = dp_rewrite_selects_by(rewrite->block, number);
	rows = dp_rewrite_released_value(rewrite, counted->aggref);
	return (Node *) makeFuncExpr(F_FLOAT8_INT8, FLOAT8OID, list_make1(rows), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

static DpReason *
nothing_told(const DpMeasure *measure)
{
	return dp_tree_reason(measure->aggref->location,
						  "Ask for dp_count of the same values, or dp_count(*) where they are NOT NULL, and for quantiles at a lesser and a greater fraction with the same bounds and step.",
						  "dp_interval of a quantile needs a count and other quantiles of the same values");
}

Node *
dp_rewrite_quantile_interval(DpBlockRewrite *rewrite, int n, Node *level, DpReason **reason)
{
	const DpMeasure *measure = list_nth(rewrite->measures, n);
	Oid			types[] = {FLOAT8ARRAYOID, FLOAT8OID, BYTEAOID, FLOAT8OID};
	DpNeighbours *all = palloc0(NeighboursSize(list_length(rewrite->measures)));
	Node	   *answers = make_answers(rewrite, n, all);
	const DpMeasure *counted = find_count(rewrite, measure->value);
	Node	   *rows;

	/* The extremes aim inside, so that the answer itself tells of them. */
	if ((counted == NULL || all->count < 2) && measure->release.rank.offset == 0)
	{
		*reason = nothing_told(measure);
		return NULL;
	}
	rows = set_rows(rewrite, counted, all);
	all->lower = measure->quantile->lower;
	all->upper = measure->quantile->upper;
	return (Node *) dp_tree_make_call("interval_between", types, lengthof(types),
									  list_make4(answers, rows, dp_tree_make_bytea(all, NeighboursSize(all->count)),
												 level),
									  NUMRANGEOID);
}
