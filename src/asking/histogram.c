/* SPDX-License-Identifier: PostgreSQL */
/*
 * histogram.c
 *	  dp_histogram and dp_cumulative as the blocks they stand for.
 *
 *		FROM dp_histogram(relation, col, lower, upper, bins, epsilon, filter)
 *
 * becomes a subquery that counts rows by bucket number:
 *
 *		SELECT bin, lower edge, upper edge, count, bar
 *		  FROM (SELECT dp_agg.bucket(col, lower, upper, bins) AS bin, dp_count(1, epsilon) AS count
 *		          FROM relation WHERE filter GROUP BY 1)
 *
 * and with an array of keys for bounds, one that counts by their places in it.
 * Bucket numbers and places are public: every one is answered and no group is
 * thresholded.
 *
 * dp_cumulative releases the counts of a tree over the buckets (DP_FORM_TREE) and
 * makes them consistent in the outer query.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "asking/call_text.h"
#include "asking/candidates.h"
#include "asking/histogram.h"
#include "expression/fold_constants.h"
#include "policy/domain.h"
#include "pricing/forms.h"
#include "pricing/release.h"
#include "pricing/value_range.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/parse_text.h"
#include "tree/reason.h"

/*
 * Estimates of counts from those of a tree over them: post-processing of dp_cumulative.
 */

PG_FUNCTION_INFO_V1(dp_asking_consistent_counts);

/*
 * From the leaves up: the best estimate of each node from its own noisy count and
 * those below, in place, and that estimate's variance in units of one count's.
 */
static void
estimate_from_below(double *count, double *variance, const int *width, int levels, int branching)
{
	double	   *child = count;
	double	   *child_variance = variance;

	for (int i = 0; i < levels - 1; i++)
	{
		child += width[i];
		child_variance += width[i];
	}
	for (int j = 0; j < width[levels - 1]; j++)
		child_variance[j] = 1;
	for (int i = levels - 2; i >= 0; i--)
	{
		double	   *own = child - width[i];
		double	   *own_variance = child_variance - width[i];

		for (int j = 0; j < width[i]; j++)
		{
			double		sum = 0;
			double		below = 0;

			for (int k = j * branching; k < Min((j + 1) * branching, width[i + 1]); k++)
			{
				sum += child[k];
				below += child_variance[k];
			}
			own[j] = (own[j] * below + sum) / (below + 1);
			own_variance[j] = below / (below + 1);
		}
		child = own;
		child_variance = own_variance;
	}
}

/* From the root down: what a node differs from its children's sum by is spread among them. */
static void
spread_from_above(double *count, const double *variance, const int *width, int levels, int branching)
{
	double	   *own = count;
	const double *own_variance = variance;

	for (int i = 0; i < levels - 1; i++)
	{
		double	   *child = own + width[i];
		const double *child_variance = own_variance + width[i];

		for (int j = 0; j < width[i]; j++)
		{
			int			first = j * branching;
			int			last = Min((j + 1) * branching, width[i + 1]);
			double		rest = own[j];
			double		below = 0;

			for (int k = first; k < last; k++)
			{
				rest -= child[k];
				below += child_variance[k];
			}
			for (int k = first; k < last; k++)
				child[k] += rest * child_variance[k] / below;
		}
		own = child;
		own_variance = child_variance;
	}
}

/* The counts of an array without nulls, as doubles; an error if there are not n. */
static double *
read_counts(ArrayType *array, int64 n)
{
	const int64 *value = (const int64 *) ARR_DATA_PTR(array);
	double	   *count;

	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array) || ARR_DIMS(array)[0] != n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("counts must be those of all nodes of the tree")));
	count = palloc_extended(n * sizeof(double), MCXT_ALLOC_HUGE);
	for (int64 i = 0; i < n; i++)
		count[i] = (double) value[i];
	return count;
}

/*
 * consistent_counts(counts, bins, branching): the least-squares estimates of the
 * leaves from noisy counts of all nodes, which have the same variance (Hay et al.
 * 2010, for trees of any shape).
 */
Datum
dp_asking_consistent_counts(PG_FUNCTION_ARGS)
{
	int			bins = PG_GETARG_INT32(1);
	int			branching = PG_GETARG_INT32(2);
	int			width[DP_MAX_TREE_LEVELS];
	int			levels;
	int64		nodes = 0;
	double	   *count;
	double	   *variance;
	Datum	   *leaf;

	if (bins < 1 || branching < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a tree needs bins, and two children a node")));
	levels = dp_pricing_tree_widths(bins, branching, width);
	for (int i = 0; i < levels; i++)
		nodes += width[i];
	count = read_counts(PG_GETARG_ARRAYTYPE_P(0), nodes);
	variance = palloc_extended(nodes * sizeof(double), MCXT_ALLOC_HUGE);
	estimate_from_below(count, variance, width, levels, branching);
	spread_from_above(count, variance, width, levels, branching);
	leaf = palloc(bins * sizeof(Datum));
	for (int i = 0; i < bins; i++)
		leaf[i] = Float8GetDatum(count[nodes - bins + i]);
	PG_RETURN_ARRAYTYPE_P(construct_array(leaf, bins, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
										  TYPALIGN_DOUBLE));
}

#define MAX_BINS 1000000

/* Is lower less than upper, and both finite?  Sets why not. */
static DpReason *
check_ends(bool finite, bool ascending)
{
	if (!finite)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "histogram bounds must be finite");
	if (!ascending)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "lower bound must be less than upper bound");
	return NULL;
}

/* Check the parameters of a bucket number. */
static DpReason *
check_bounds(const Const *lower, const Const *upper, const Const *bins)
{
	Datum		low = lower->constvalue;
	Datum		high = upper->constvalue;
	DpReason   *reason;

	switch (lower->consttype)
	{
		case FLOAT8OID:
			reason = check_ends(isfinite(DatumGetFloat8(low)) && isfinite(DatumGetFloat8(high)) &&
								isfinite(DatumGetFloat8(high) - DatumGetFloat8(low)),
								DatumGetFloat8(low) < DatumGetFloat8(high));
			break;
		case DATEOID:
			reason = check_ends(!DATE_NOT_FINITE(DatumGetDateADT(low)) &&
								!DATE_NOT_FINITE(DatumGetDateADT(high)),
								DatumGetDateADT(low) < DatumGetDateADT(high));
			break;
		default:
			reason = check_ends(!TIMESTAMP_NOT_FINITE(DatumGetTimestamp(low)) &&
								!TIMESTAMP_NOT_FINITE(DatumGetTimestamp(high)),
								DatumGetTimestamp(low) < DatumGetTimestamp(high));
	}
	if (reason)
		return reason;
	if (DatumGetInt32(bins->constvalue) < 1 || DatumGetInt32(bins->constvalue) > MAX_BINS)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "number of bins must be between 1 and %d", MAX_BINS);
	return NULL;
}

/* The column must hold numbers, or what the bounds are. */
static DpReason *
check_column(const DpCall *call)
{
	Oid			type = dp_asking_call_column_type(call, 1);
	Oid			bound = call->value[2]->consttype;

	if (bound != FLOAT8OID)
		return type == bound ? NULL
			: dp_tree_reason(-1, "Write bounds of the column's type.",
							 "%s with bounds of type %s needs a column of that type",
							 call->name, format_type_be(bound));
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return NULL;
		default:
			return dp_tree_reason(-1, "Group by it with dp_count(*) instead.",
								  "%s needs a column of numbers", call->name);
	}
}

/*
 * The number of bins that a call without bounds asks for: a bigint, so that no call with
 * bounds fits it as well.
 */
static int
bins_of(const DpCall *call)
{
	return (int) Max(Min(DatumGetInt64(call->value[2]->constvalue), MAX_BINS + 1), 0);
}

/* How a call with bounds of this type is written. */
static const char *
full_call(const DpCall *call, Oid type, const char *lower, const char *upper)
{
	const char *bound = format_type_be(type);

	return psprintf("Write bounds: %s(%s, %s, %s '%s', %s '%s', %d).", call->name,
					quote_literal_cstr(get_rel_name(call->relid)),
					quote_literal_cstr(NameStr(*DatumGetName(call->value[1]->constvalue))),
					bound, lower, bound, upper, bins_of(call));
}

/* Bounds of dates and times have a call of their own, with bounds of that type. */
static DpReason *
refuse_times(const DpCall *call, Oid type, DpValueRange range)
{
	Datum		lower = type == DATEOID ? DateADTGetDatum((DateADT) range.lower)
		: TimestampGetDatum((Timestamp) range.lower);
	Datum		upper = type == DATEOID ? DateADTGetDatum((DateADT) range.upper)
		: TimestampGetDatum((Timestamp) range.upper);

	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1,
							 full_call(call, type, dp_policy_domain_text(type, lower),
									   dp_policy_domain_text(type, upper)),
							 "%s of a column of type %s needs bounds", call->name, format_type_be(type));
}

/*
 * The range of the values in a call's column, by what is declared of it; of a view's, by
 * what is declared of the columns that it is made of.
 */
static DpReason *
find_range(const DpCall *call, DpValueRange *range)
{
	char	   *text = psprintf("SELECT %s FROM %s AS %s", dp_asking_call_column(call, 1),
								call->relation, call->alias);
	Query	   *query = dp_tree_analyse_text(text, NULL, 0);
	DpReason   *reason;

	dp_asking_check_named_relation(call, linitial_node(RangeTblEntry, query->rtable));
	query = dp_tree_finish_text(query);
	reason = dp_pricing_value_range(query, (Node *) linitial_node(TargetEntry, query->targetList)->expr, NULL, NULL, range);
	if (reason == NULL)
		return NULL;
	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1,
							 psprintf("Write bounds: %s(relation, col, lower, upper, bins). Or have the table's owner declare them for everybody: dp_agg.set_domain(relation, col, lower, upper).",
									  call->name),
							 "%s", reason->message);
}

/* Put the bounds that a call leaves out before its number of bins. */
static DpReason *
supply_bounds(DpCall *call)
{
	Oid			type = getBaseType(dp_asking_call_column_type(call, 1));
	DpValueRange range;
	DpReason   *reason;

	if (call->value[2]->consttype != INT8OID)
		return NULL;
	reason = find_range(call, &range);
	if (reason)
		return reason;
	if (type == DATEOID || dp_pricing_is_timestamp(type))
		return refuse_times(call, type, range);
	call->value[4] = dp_tree_make_int4(bins_of(call));
	call->value[2] = (Const *) dp_tree_make_float8(range.lower);
	call->value[3] = (Const *) dp_tree_make_float8(range.upper);
	return NULL;
}

/* Edge number `edge`, an SQL expression, of a call's buckets. */
static char *
edge_text(DpCall *call, const char *edge)
{
	double		lower;
	double		upper;
	int			bins = DatumGetInt32(call->value[4]->constvalue);

	if (call->value[2]->consttype != FLOAT8OID)
		return psprintf("dp_agg.bucket_edge(%s, %s, %d, %s)",
						dp_asking_call_constant(call, call->value[2]),
						dp_asking_call_constant(call, call->value[3]), bins, edge);
	lower = DatumGetFloat8(call->value[2]->constvalue);
	upper = DatumGetFloat8(call->value[3]->constvalue);
	return psprintf("'%.17g'::pg_catalog.float8 OPERATOR(pg_catalog.+) "
					"((%s)::pg_catalog.float8 OPERATOR(pg_catalog.*) '%.17g'::pg_catalog.float8)",
					lower, edge, (upper - lower) / bins);
}

/* The block: counts by bucket number. */
static char *
buckets_text(DpCall *call)
{
	return psprintf("(SELECT dp_agg.bucket(%s, %s, %s, %d) AS bin, %s AS count %s GROUP BY 1) b",
					dp_asking_call_column(call, 1), dp_asking_call_constant(call, call->value[2]),
					dp_asking_call_constant(call, call->value[3]),
					DatumGetInt32(call->value[4]->constvalue),
					dp_asking_call_count(call, "1"), dp_asking_call_from(call));
}

/* A histogram of categories: counts by place among the keys. */
static DpReason *
write_categories(DpCall *call, char **text)
{
	const char *keys;
	const char *shown;
	int			count;
	DpReason   *reason = dp_asking_candidates(call, &count, &keys, &shown);

	if (reason)
		return reason;
	*text = psprintf("SELECT b.bin, (%s)[b.bin], b.count, "
					 "dp_agg.bar(b.count, pg_catalog.max(b.count) OVER ()) "
					 "FROM (SELECT dp_agg.place(%s, %s) AS bin, %s AS count %s "
					 "AND %s OPERATOR(pg_catalog.=) ANY (%s) GROUP BY 1) b",
					 shown, dp_asking_call_column(call, 1), keys, dp_asking_call_count(call, "1"),
					 dp_asking_call_from(call), dp_asking_call_column(call, 1), keys);
	return NULL;
}

DpReason *
dp_asking_write_histogram(DpCall *call, char **text)
{
	DpReason   *reason;

	if (call->value[2]->consttype == TEXTOID || OidIsValid(get_element_type(call->value[2]->consttype)))
		return write_categories(call, text);
	reason = supply_bounds(call);
	if (reason == NULL)
		reason = check_column(call);
	if (reason == NULL)
		reason = check_bounds(call->value[2], call->value[3], call->value[4]);
	if (reason)
		return reason;
	*text = psprintf("SELECT b.bin, %s, %s, b.count, "
					 "dp_agg.bar(b.count, pg_catalog.max(b.count) OVER ()) FROM %s",
					 edge_text(call, "b.bin OPERATOR(pg_catalog.-) 1"), edge_text(call, "b.bin"),
					 buckets_text(call));
	return NULL;
}

DpReason *
dp_asking_write_cumulative(DpCall *call, char **text)
{
	DpReason   *reason = supply_bounds(call);
	int			bins;
	int			branching;

	if (reason == NULL)
		reason = check_column(call);
	if (reason == NULL)
		reason = check_bounds(call->value[2], call->value[3], call->value[4]);
	if (reason)
		return reason;
	bins = DatumGetInt32(call->value[4]->constvalue);
	branching = dp_pricing_tree_branching(bins);
	*text = psprintf("SELECT l.bin, %s, %s, l.count, "
					 "pg_catalog.sum(l.count) OVER (ORDER BY l.bin), "
					 "dp_agg.bar(l.count, pg_catalog.max(l.count) OVER ()) "
					 "FROM (SELECT pg_catalog.array_agg(b.count ORDER BY b.bin) AS counts FROM %s) t, "
					 "LATERAL (SELECT u.count, u.bin::pg_catalog.int4 AS bin "
					 "FROM ROWS FROM (pg_catalog.unnest(dp_agg_internal.consistent_counts(t.counts, %d, %d))) "
					 "WITH ORDINALITY AS u (count, bin)) l",
					 edge_text(call, "l.bin OPERATOR(pg_catalog.-) 1"), edge_text(call, "l.bin"),
					 buckets_text(call), bins, branching);
	call->formed.form = DP_FORM_TREE;
	call->formed.size = branching;
	snprintf(call->formed.label, DP_LABEL_SIZE, "%s(%s, %d bins)", call->name,
			 dp_asking_call_column(call, 1), bins);
	return NULL;
}

Node *
dp_asking_public_key(Query *block, Node *key, const DpStatement *statement, int *domain, DpReason **reason)
{
	FuncExpr   *call = (FuncExpr *) key;
	List	   *constants = NIL;

	if (!IsA(key, FuncExpr))
		return NULL;
	if (dp_tree_function(call->funcid) == DP_FUNCTION_PLACE)
		return dp_asking_candidate_key(block, call, statement, domain, reason);
	if (dp_tree_function(call->funcid) != DP_FUNCTION_BUCKET)
		return NULL;
	for (int i = 1; i < 4; i++)
	{
		Const	   *value = dp_expression_constant(list_nth(call->args, i), statement->params);

		if (value == NULL || value->constisnull)
		{
			*reason = dp_tree_reason(-1, "Write constants or bound parameters.",
									 "bounds and number of buckets must be constant");
			return dp_asking_key_call(block, call, NIL, statement, reason);
		}
		constants = lappend(constants, value);
	}
	*reason = check_bounds(linitial(constants), lsecond(constants), lthird(constants));
	if (*reason == NULL)
		*domain = DatumGetInt32(lthird_node(Const, constants)->constvalue);
	return dp_asking_key_call(block, call, constants, statement, reason);
}
