/* SPDX-License-Identifier: PostgreSQL */
/*
 * selection.c
 *	  dp_noisy_max, dp_top and dp_above_threshold as the blocks they stand for.
 *
 *		FROM dp_noisy_max(relation, col, candidates, k, epsilon, filter)
 *
 * becomes a subquery whose block counts rows by candidate, as by dp_count,
 * but releases only which candidates have the greatest counts: in place
 * of the count stands the rank (DP_FORM_RANKING).  The block of
 * dp_above_threshold has a count for each predicate, all of one pass over the
 * rows, and releases the number of the first in place of the first count
 * (DP_FORM_FIRST).
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "asking/call_text.h"
#include "asking/candidates.h"
#include "asking/selection.h"
#include "pricing/release.h"
#include "tree/reason.h"

#define MAX_RANKS 1000
#define MAX_PREDICATES 256

/* Ask for a ranking of the k greatest. */
static DpReason *
set_ranking(DpCall *call, int argument, int most, const char *label)
{
	int			k = DatumGetInt32(call->value[argument]->constvalue);

	if (k < 1 || k > most)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "k must be between 1 and %d", most);
	call->formed.form = DP_FORM_RANKING;
	call->formed.size = k;
	snprintf(call->formed.label, DP_LABEL_SIZE, "%s(%s, %sk => %d)", call->name,
			 dp_asking_call_column(call, 1), label, k);
	return NULL;
}

DpReason *
dp_asking_write_noisy_max(DpCall *call, char **text)
{
	const char *keys;
	const char *shown;
	int			count;
	DpReason   *reason = dp_asking_candidates(call, &count, &keys, &shown);

	if (reason == NULL)
		reason = set_ranking(call, 3, Min(count, MAX_RANKS), psprintf("%d candidates, ", count));
	if (reason)
		return reason;
	*text = psprintf("SELECT b.rank::pg_catalog.int4, (%s)[b.place] "
					 "FROM (SELECT dp_agg.place(%s, %s) AS place, %s AS rank %s "
					 "AND %s OPERATOR(pg_catalog.=) ANY (%s) GROUP BY 1) b ORDER BY 1",
					 shown, dp_asking_call_column(call, 1), keys, dp_asking_call_count(call, "1"),
					 dp_asking_call_from(call), dp_asking_call_column(call, 1), keys);
	return NULL;
}

DpReason *
dp_asking_write_top(DpCall *call, char **text)
{
	DpReason   *reason = set_ranking(call, 2, MAX_RANKS, "");

	if (reason)
		return reason;
	*text = psprintf("SELECT b.rank::pg_catalog.int4, "
					 "b.category::pg_catalog.text COLLATE pg_catalog.\"default\" "
					 "FROM (SELECT %s AS category, %s AS rank %s "
					 "AND %s IS NOT NULL GROUP BY 1) b ORDER BY 1",
					 dp_asking_call_column(call, 1), dp_asking_call_count(call, "1"),
					 dp_asking_call_from(call), dp_asking_call_column(call, 1));
	return NULL;
}

/*
 * Each count counts the number of its predicate, so that two alike are two
 * aggregates.
 */
DpReason *
dp_asking_write_above_threshold(DpCall *call, char **text)
{
	StringInfoData counts;
	DpConditions predicates;
	DpReason   *reason = dp_asking_call_conditions(call, 1, "predicate", "predicates", MAX_PREDICATES,
												   &predicates);

	if (reason)
		return reason;
	initStringInfo(&counts);
	for (int i = 0; i < predicates.count; i++)
	{
		char	   *counted = psprintf("CASE WHEN %s THEN %d END", predicates.condition[i], i + 1);

		appendStringInfo(&counts, "%s%s AS c%d", i > 0 ? ", " : "",
						 dp_asking_call_count(call, counted), i + 1);
	}
	*text = psprintf("SELECT CASE WHEN b.c1 OPERATOR(pg_catalog.>) 0 THEN b.c1::pg_catalog.int4 END, "
					 "(%s)[b.c1] FROM (SELECT %s %s) b",
					 dp_asking_call_given(call, &predicates), counts.data,
					 dp_asking_call_from(call));
	call->formed.form = DP_FORM_FIRST;
	call->formed.level = DatumGetInt64(call->value[2]->constvalue);
	snprintf(call->formed.label, DP_LABEL_SIZE, "%s(%s, %d predicates, threshold %lld)", call->name,
			 call->alias, predicates.count, (long long) call->formed.level);
	return NULL;
}
