/*
 * selection.c
 *	  dp_noisy_max, dp_top and dp_above_threshold as the blocks they stand for.
 *
 *		FROM dp_noisy_max(relation, col, candidates, k, epsilon, filter)
 *
 * becomes a sub-query whose block counts rows by candidate, as by dp_count,
 * but releases only which candidates have the greatest counts: in place
 * of the count stands the rank (DP_FORM_RANKING).  The block of
 * dp_above_threshold has a count for each predicate, all of one pass over the
 * rows, and releases the number of the first in place of the first count
 * (DP_FORM_FIRST).
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "query/block/block.h"
#include "query/call/call_text.h"
#include "query/call/candidates.h"
#include "query/call/selection.h"
#include "query/nodes/reason.h"

#define MAX_RANKS 1000
#define MAX_PREDICATES 256

/* Ask for a ranking of the k greatest. */
static DpReason *
set_ranking(DpCall *call, int argument, int most, const char *label)
{
	int			k = DatumGetInt32(call->value[argument]->constvalue);

	if (k < 1 || k > most)
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								  "k must be between 1 and %d", most);
	call->formed.form = DP_FORM_RANKING;
	call->formed.size = k;
	snprintf(call->formed.label, DP_LABEL_SIZE, "%s(%s, %sk => %d)", call->name,
			 dp_query_call_column(call, 1), label, k);
	return NULL;
}

DpReason *
dp_query_write_noisy_max(DpCall *call, char **text)
{
	const char *keys;
	const char *shown;
	int			count;
	DpReason   *reason = dp_query_candidates(call, &count, &keys, &shown);

	if (reason == NULL)
		reason = set_ranking(call, 3, Min(count, MAX_RANKS), psprintf("%d candidates, ", count));
	if (reason)
		return reason;
	*text = psprintf("SELECT b.rank::pg_catalog.int4, (%s)[b.place] "
					 "FROM (SELECT dp_agg.place(%s, %s) AS place, %s AS rank %s "
					 "AND %s OPERATOR(pg_catalog.=) ANY (%s) GROUP BY 1) b ORDER BY 1",
					 shown, dp_query_call_column(call, 1), keys, dp_query_call_count(call, "1"),
					 dp_query_call_from(call), dp_query_call_column(call, 1), keys);
	return NULL;
}

DpReason *
dp_query_write_top(DpCall *call, char **text)
{
	DpReason   *reason = set_ranking(call, 2, MAX_RANKS, "");

	if (reason)
		return reason;
	*text = psprintf("SELECT b.rank::pg_catalog.int4, "
					 "b.category::pg_catalog.text COLLATE pg_catalog.\"default\" "
					 "FROM (SELECT %s AS category, %s AS rank %s "
					 "AND %s IS NOT NULL GROUP BY 1) b ORDER BY 1",
					 dp_query_call_column(call, 1), dp_query_call_count(call, "1"),
					 dp_query_call_from(call), dp_query_call_column(call, 1));
	return NULL;
}

/*
 * The predicates of a call as given, each one condition that makes sense by itself,
 * and as they stand in the text.
 */
static DpReason *
read_predicates(DpCall *call, int *count, Datum **predicate, const char ***condition)
{
	ArrayType  *array = DatumGetArrayTypeP(call->value[1]->constvalue);

	if (ARR_NDIM(array) != 1 || ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) > MAX_PREDICATES)
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								  "predicates must be an array of 1 to %d conditions",
								  MAX_PREDICATES);
	if (ARR_HASNULL(array))
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								  "predicates must not be null");
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, predicate, NULL, count);
	*condition = palloc(*count * sizeof(char *));
	for (int i = 0; i < *count; i++)
	{
		(*condition)[i] = dp_query_call_condition(call, TextDatumGetCString((*predicate)[i]));
		if ((*condition)[i] == NULL)
			return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
									  "each predicate must be one condition");
	}
	return NULL;
}

/* An array whose first element has number 1. */
static Const *
make_texts(Datum *value, int count)
{
	ArrayType  *array = construct_array(value, count, TEXTOID, -1, false, TYPALIGN_INT);

	return makeConst(TEXTARRAYOID, -1, DEFAULT_COLLATION_OID, -1, PointerGetDatum(array), false,
					 false);
}

/*
 * Each count counts the number of its predicate, so that two alike are two
 * aggregates.
 */
DpReason *
dp_query_write_above_threshold(DpCall *call, char **text)
{
	StringInfoData counts;
	Datum	   *predicate = NULL;
	const char **condition = NULL;
	int			count = 0;
	DpReason   *reason = read_predicates(call, &count, &predicate, &condition);

	if (reason)
		return reason;
	initStringInfo(&counts);
	for (int i = 0; i < count; i++)
	{
		char	   *counted = psprintf("CASE WHEN %s THEN %d END", condition[i], i + 1);

		appendStringInfo(&counts, "%s%s AS c%d", i > 0 ? ", " : "",
						 dp_query_call_count(call, counted), i + 1);
	}
	*text = psprintf("SELECT CASE WHEN b.c1 OPERATOR(pg_catalog.>) 0 THEN b.c1::pg_catalog.int4 END, "
					 "(%s)[b.c1] FROM (SELECT %s %s) b",
					 dp_query_call_constant(call, make_texts(predicate, count)), counts.data,
					 dp_query_call_from(call));
	call->formed.form = DP_FORM_FIRST;
	call->formed.level = DatumGetInt64(call->value[2]->constvalue);
	snprintf(call->formed.label, DP_LABEL_SIZE, "%s(%s, %d predicates, threshold %lld)", call->name,
			 call->alias, count, (long long) call->formed.level);
	return NULL;
}
