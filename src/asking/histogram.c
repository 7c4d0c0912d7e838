/*
 * histogram.c
 *	  dp_histogram and dp_cumulative as the blocks they stand for.
 *
 *		FROM dp_histogram(relation, col, lower, upper, bins, epsilon, filter)
 *
 * becomes a sub-query that counts rows by bucket number:
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
 * makes them consistent above the release.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "pricing/block.h"
#include "pricing/count_tree.h"
#include "pricing/value_range.h"
#include "asking/call_text.h"
#include "asking/candidates.h"
#include "asking/histogram.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/parse_text.h"
#include "tree/reason.h"
#include "policy/domain.h"
#include "expression/fold_constants.h"

#define MAX_BINS 1000000

/* Is lower less than upper, and both finite?  Sets why not. */
static DpReason *
check_ends(bool finite, bool ascending)
{
	if (!finite)
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								  "histogram bounds must be finite");
	if (!ascending)
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
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
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								  "number of bins must be between 1 and %d", MAX_BINS);
	return NULL;
}

/* The column must hold numbers, or what the bounds are. */
static DpReason *
check_column(const DpCall *call)
{
	Oid			type = dp_query_call_column_type(call, 1);
	Oid			bound = call->value[2]->consttype;

	if (bound != FLOAT8OID)
		return type == bound ? NULL
			: dp_query_reason(-1, "Write bounds of the column's type.",
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
			return dp_query_reason(-1, "Group by it with dp_count(*) instead.",
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

	return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1,
							  full_call(call, type, dp_query_domain_text(type, lower),
										dp_query_domain_text(type, upper)),
							  "%s of a column of type %s needs bounds", call->name, format_type_be(type));
}

/*
 * The range of the values in a call's column, by what is declared of it; of a view's, by
 * what is declared of the columns that it is made of.
 */
static DpReason *
find_range(const DpCall *call, DpValueRange *range)
{
	char	   *text = psprintf("SELECT %s FROM %s AS %s", dp_query_call_column(call, 1),
								call->relation, call->alias);
	Query	   *query = dp_query_analyse_text(text, NULL, 0);
	DpReason   *reason;

	dp_query_check_named_relation(call, linitial_node(RangeTblEntry, query->rtable));
	query = dp_query_finish_text(query);
	reason = dp_query_value_range(query, (Node *) linitial_node(TargetEntry, query->targetList)->expr, NULL, range);
	if (reason == NULL)
		return NULL;
	return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1,
							  psprintf("Write bounds: %s(relation, col, lower, upper, bins). Or have the table's owner declare them for everybody: dp_agg.set_domain(relation, col, lower, upper).",
									   call->name),
							  "%s", reason->message);
}

/* Put the bounds that a call leaves out before its number of bins. */
static DpReason *
supply_bounds(DpCall *call)
{
	Oid			type = getBaseType(dp_query_call_column_type(call, 1));
	DpValueRange range;
	DpReason   *reason;

	if (call->value[2]->consttype != INT8OID)
		return NULL;
	reason = find_range(call, &range);
	if (reason)
		return reason;
	if (type == DATEOID || dp_query_is_timestamp(type))
		return refuse_times(call, type, range);
	call->value[4] = dp_query_make_int4(bins_of(call));
	call->value[2] = (Const *) dp_query_make_float8(range.lower);
	call->value[3] = (Const *) dp_query_make_float8(range.upper);
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
						dp_query_call_constant(call, call->value[2]),
						dp_query_call_constant(call, call->value[3]), bins, edge);
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
					dp_query_call_column(call, 1), dp_query_call_constant(call, call->value[2]),
					dp_query_call_constant(call, call->value[3]),
					DatumGetInt32(call->value[4]->constvalue),
					dp_query_call_count(call, "1"), dp_query_call_from(call));
}

/* A histogram of categories: counts by place among the keys. */
static DpReason *
write_categories(DpCall *call, char **text)
{
	const char *keys;
	const char *shown;
	int			count;
	DpReason   *reason = dp_query_candidates(call, &count, &keys, &shown);

	if (reason)
		return reason;
	*text = psprintf("SELECT b.bin, (%s)[b.bin], b.count, "
					 "dp_agg.bar(b.count, pg_catalog.max(b.count) OVER ()) "
					 "FROM (SELECT dp_agg.place(%s, %s) AS bin, %s AS count %s "
					 "AND %s OPERATOR(pg_catalog.=) ANY (%s) GROUP BY 1) b",
					 shown, dp_query_call_column(call, 1), keys, dp_query_call_count(call, "1"),
					 dp_query_call_from(call), dp_query_call_column(call, 1), keys);
	return NULL;
}

DpReason *
dp_query_write_histogram(DpCall *call, char **text)
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
dp_query_write_cumulative(DpCall *call, char **text)
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
	branching = dp_query_tree_branching(bins);
	*text = psprintf("SELECT l.bin, %s, %s, l.count, "
					 "pg_catalog.sum(l.count) OVER (ORDER BY l.bin), "
					 "dp_agg.bar(l.count, pg_catalog.max(l.count) OVER ()) "
					 "FROM (SELECT pg_catalog.array_agg(b.count ORDER BY b.bin) AS counts FROM %s) t, "
					 "LATERAL (SELECT u.count, u.bin::pg_catalog.int4 AS bin "
					 "FROM ROWS FROM (pg_catalog.unnest(dp_agg.consistent_counts(t.counts, %d, %d))) "
					 "WITH ORDINALITY AS u (count, bin)) l",
					 edge_text(call, "l.bin OPERATOR(pg_catalog.-) 1"), edge_text(call, "l.bin"),
					 buckets_text(call), bins, branching);
	call->formed.form = DP_FORM_TREE;
	call->formed.size = branching;
	snprintf(call->formed.label, DP_LABEL_SIZE, "%s(%s, %d bins)", call->name,
			 dp_query_call_column(call, 1), bins);
	return NULL;
}

Node *
dp_query_public_key(Query *block, Node *key, ParamListInfo params, int *domain, DpReason **reason)
{
	FuncExpr   *call = (FuncExpr *) key;
	List	   *constants = NIL;

	if (!IsA(key, FuncExpr))
		return NULL;
	if (dp_query_function(call->funcid) == DP_FUNCTION_PLACE)
		return dp_query_candidate_key(block, call, params, domain, reason);
	if (dp_query_function(call->funcid) != DP_FUNCTION_BUCKET)
		return NULL;
	for (int i = 1; i < 4; i++)
	{
		Const	   *value = dp_query_constant(list_nth(call->args, i), params);

		if (value == NULL || value->constisnull)
		{
			*reason = dp_query_reason(-1, "Write constants or bound parameters.",
									  "bounds and number of buckets must be constant");
			return dp_query_key_call(block, call, NIL, params, reason);
		}
		constants = lappend(constants, value);
	}
	*reason = check_bounds(linitial(constants), lsecond(constants), lthird(constants));
	if (*reason == NULL)
		*domain = DatumGetInt32(lthird_node(Const, constants)->constvalue);
	return dp_query_key_call(block, call, constants, params, reason);
}
