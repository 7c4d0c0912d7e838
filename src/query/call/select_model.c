/*
 * select_model.c
 *	  dp_select_model as the block it stands for.
 *
 *		FROM dp_select_model(relation, y, candidates, epsilon, filter)
 *
 * becomes a sub-query whose block counts, for each candidate, the rows for which it is not
 * what y is, all of one pass, and releases the number of one for which that count is small
 * in place of the first count (DP_FORM_LEAST).
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "query/block/block.h"
#include "query/call/call_text.h"
#include "query/call/conditions.h"
#include "query/call/select_model.h"
#include "query/nodes/reason.h"

#define MAX_CONDITIONS 256

/* What is to be foretold, as a condition on a row. */
static DpReason *
read_condition(DpCall *call, const char **condition)
{
	*condition = dp_query_call_condition(call, TextDatumGetCString(call->value[1]->constvalue));
	if (*condition)
		return NULL;
	return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1,
							  "Write a condition on rows of the relation, or a boolean column.",
							  "y of %s must be one condition", call->name);
}

/*
 * The count of a candidate's errors counts the number of the candidate, so that two alike are
 * two aggregates.  A candidate that is NULL of a row foretells false; a row of which y is NULL
 * counts for none.
 */
static char *
count_errors(DpCall *call, const char *y, const DpConditions *candidates)
{
	StringInfoData counts;

	initStringInfo(&counts);
	for (int i = 0; i < candidates->count; i++)
	{
		char	   *counted = psprintf("CASE WHEN (%s) OPERATOR(pg_catalog.<>) ((%s) IS TRUE) THEN %d END",
									   y, candidates->condition[i], i + 1);

		appendStringInfo(&counts, "%s%s AS c%d", i > 0 ? ", " : "",
						 dp_query_call_count(call, counted), i + 1);
	}
	return counts.data;
}

DpReason *
dp_query_write_select_model(DpCall *call, char **text)
{
	DpConditions candidates;
	const char *y;
	DpReason   *reason = read_condition(call, &y);

	if (reason == NULL)
		reason = dp_query_call_conditions(call, 2, "candidate", "candidates", MAX_CONDITIONS, &candidates);
	if (reason)
		return reason;
	*text = psprintf("SELECT b.c1::pg_catalog.int4, (%s)[b.c1] FROM (SELECT %s %s) b",
					 dp_query_call_given(call, &candidates), count_errors(call, y, &candidates),
					 dp_query_call_from(call));
	call->formed.form = DP_FORM_LEAST;
	snprintf(call->formed.label, DP_LABEL_SIZE, "%s(%s, %d candidates)", call->name, call->alias,
			 candidates.count);
	return NULL;
}
