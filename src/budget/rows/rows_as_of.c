/* SPDX-License-Identifier: PostgreSQL */
/*
 * rows_as_of.c
 *	  When the rows that a standby reads were current.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"

#include "accounting/json.h"
#include "budget/rows/rows_as_of.h"

#define MEMBER "rows_as_of"

TimestampTz
dp_budget_rows_as_of(void)
{
	TimestampTz replayed = RecoveryInProgress() ? GetLatestXTime() : 0;

	if (replayed != 0 && IsolationUsesXactSnapshot())
		replayed = Min(replayed, GetCurrentTransactionStartTimestamp());
	return replayed;
}

Jsonb *
dp_budget_note_rows_as_of(const Jsonb *releases, TimestampTz at)
{
	Datum		path[2] = {CStringGetTextDatum("0"), CStringGetTextDatum(MEMBER)};
	char		time[MAXDATELEN + 1];
	int			utc = 0;
	Datum		value;

	(void) JsonEncodeDateTime(time, TimestampTzGetDatum(at), TIMESTAMPTZOID, &utc);
	value = DirectFunctionCall1(jsonb_in, CStringGetDatum(psprintf("\"%s\"", time)));
	return DatumGetJsonbP(DirectFunctionCall4(jsonb_set, JsonbPGetDatum(releases),
											  PointerGetDatum(construct_array(path, 2, TEXTOID, -1, false, TYPALIGN_INT)),
											  value, BoolGetDatum(true)));
}

const Jsonb *
dp_budget_check_rows_as_of(const Jsonb *releases)
{
	JsonbContainer *block = dp_accounting_json_container(getIthJsonbValueFromContainer(unconstify(JsonbContainer *, &releases->root), 0), false);
	JsonbValue *value = block == NULL ? NULL : dp_accounting_json_member(block, MEMBER);
	TimestampTz at = DT_NOEND;

	if (value == NULL)
		return releases;
	if (value->type == jbvString)
		at = DatumGetTimestampTz(DirectFunctionCall3(timestamptz_in,
													 CStringGetDatum(pnstrdup(value->val.string.val, value->val.string.len)),
													 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
	if (TIMESTAMP_NOT_FINITE(at))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("time that the rows of a charge are of makes no sense")));
	return dp_budget_note_rows_as_of(releases, at);
}
