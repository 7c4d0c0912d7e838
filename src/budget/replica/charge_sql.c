/* SPDX-License-Identifier: PostgreSQL */
/*
 * charge_sql.c
 *	  The SQL function by which a standby has budgets charged on its primary.
 *
 * The standby is believed about who asks and what is asked: it holds all rows anyway.  It is
 * not believed about limits, which it never sends, nor about the cost, which follows from the
 * releases as that of every row of the ledger does.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/tuplestore.h"

#include "accounting/curve.h"
#include "base/compat_varlena.h"
#include "base/settings.h"
#include "budget/account/home.h"
#include "budget/keeper/client.h"
#include "budget/queue/request.h"
#include "budget/replica/reply.h"
#include "budget/rows/ledger_cost.h"
#include "budget/rows/ledger.h"
#include "budget/rows/row.h"
#include "budget/rows/rows_as_of.h"

/* Longest name of a standby that the ledger keeps, in bytes. */
#define DP_STANDBY_BYTES 255

PG_FUNCTION_INFO_V1(dp_budget_replica_charge);

/*
 * Refuse whoever is no standby of this server now: what it has may be of another history, or of
 * this one before a failover that it has not replayed.
 */
static void
check_follows(const char *home, const char *standby)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("server that is to charge privacy budgets for a standby is itself a standby"),
				 errhint("Let \"%s\" of standby \"%s\" lead to the primary server.", "dp_agg.primary_conninfo", standby)));
	if (strcmp(home, dp_budget_home_here()) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("server \"%s\" does not follow the one that is to charge privacy budgets for it", standby),
				 errdetail("Their databases differ in system identifier, number or timeline.")));
}

/* A text as a string of JSON. */
static char *
quoted(const char *text)
{
	StringInfoData json;

	initStringInfo(&json);
	escape_json(&json, text);
	return json.data;
}

/* A text up to so many bytes: no standby has more, and the keeper, which all wait for, writes it. */
static text *
clipped(Datum value, int bytes)
{
	const		text *whole = DatumGetTextPP(value);
	const char *start = VARDATA_ANY(whole);

	return cstring_to_text_with_len(start, pg_mbcliplen(start, VARSIZE_ANY_EXHDR(whole), bytes));
}

/* The releases as the ledger has them: the first block says which server reads the rows. */
static Jsonb *
note_standby(Datum releases, Datum standby)
{
	Datum		path[2] = {CStringGetTextDatum("0"), CStringGetTextDatum("read_on")};
	Datum		name = DirectFunctionCall1(jsonb_in, CStringGetDatum(quoted(text_to_cstring(clipped(standby, DP_STANDBY_BYTES)))));

	return DatumGetJsonbP(DirectFunctionCall4(jsonb_set, releases,
											  PointerGetDatum(construct_array(path, 2, TEXTOID, -1, false, TYPALIGN_INT)),
											  name, BoolGetDatum(true)));
}

/* Is a cost nothing at all?  The ledger has no such charge of ours: nobody would ever be refused one. */
static bool
is_nothing(const DpCurve *cost)
{
	for (int i = 0; i < DP_ORDERS; i++)
		if (cost->rdp[i] > 0)
			return false;
	return cost->pure == 0 && cost->delta == 0 && cost->variance == 0;
}

/* What releases cost; false if they make no sense, or are none. */
static bool
read_cost(const Jsonb *releases, DpCurve *cost)
{
	return JB_ROOT_IS_ARRAY(releases) && JB_ROOT_COUNT(releases) > 0 &&
		dp_budget_ledger_cost(releases, cost) && dp_budget_row_valid_cost(cost) && !is_nothing(cost);
}

/* The charges of a call, one at each place of its arrays. */
typedef struct DpCall
{
	int			count;
	Datum	   *role;
	Datum	   *dataset;
	Datum	   *releases;
	Datum	   *statement;
	bool	   *untold;			/* statements that are null */
	Datum		standby;
} DpCall;

static void
refuse_call(const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("charges of a call %s", why)));
}

/* The elements of an array, as many as there are charges; those that are null only where that may be. */
static Datum *
read_array(DpCall *call, ArrayType *array, Oid type, int16 length, bool **nulls)
{
	Datum	   *elements;
	bool	   *null;
	int			count;

	if (ARR_NDIM(array) > 1)
		refuse_call("must be in arrays of one dimension");
	deconstruct_array(array, type, length, type == OIDOID, TYPALIGN_INT, &elements, &null, &count);
	if (call->count < 0)
		call->count = count;
	if (count != call->count)
		refuse_call("must be in arrays of the same length");
	for (int i = 0; nulls == NULL && i < count; i++)
		if (null[i])
			refuse_call("must have no null but for a statement");
	if (nulls != NULL)
		*nulls = null;
	return elements;
}

/* A call must be of some size: all that it asks for is in shared memory at the same time. */
static void
check_size(const DpCall *call)
{
	Size		size = 0;

	if (call->count == 0 || call->count > DP_CHARGES_AT_ONCE)
		refuse_call("must be one at least, and not too many");
	for (int i = 0; i < call->count; i++)
		size += VARSIZE_ANY_EXHDR(DatumGetPointer(call->releases[i]));
	if (size > DP_CALL_BYTES)
		refuse_call("are too large");
}

/* Read one of a call's charges; false if it makes no sense, which is its answer. */
static bool
read_charge(const DpCall *call, int i, DpCharge *charge, DpChargeAnswer *answer)
{
	/* Its place may hold one before it that made no sense. */
	*charge = (DpCharge) {.role = DatumGetObjectId(call->role[i])};
	if (!call->untold[i] && dp_settings_ledger_statements)
		charge->statement = clipped(call->statement[i], DP_STATEMENT_BYTES);
	answer->outcome = DP_OUTCOME_FAILED;
	answer->sqlstate = ERRCODE_INVALID_PARAMETER_VALUE;
	if (!OidIsValid(charge->role))
		strlcpy(answer->failure, "it names no role", DP_FAILURE_MAX);
	else if (VARSIZE_ANY_EXHDR(DatumGetPointer(call->dataset[i])) >= NAMEDATALEN)
		strlcpy(answer->failure, "name of its data set is too long", DP_FAILURE_MAX);
	else if (!read_cost(DatumGetJsonbP(call->releases[i]), &charge->cost))
		strlcpy(answer->failure, "its releases make no sense", DP_FAILURE_MAX);
	else
	{
		charge->dataset = TextDatumGetCString(call->dataset[i]);
		charge->releases = dp_budget_check_rows_as_of(note_standby(call->releases[i], call->standby));
		return true;
	}
	return false;
}

/* Have those charges made that make sense, together; what comes of each, in its place. */
static DpChargeAnswer *
charge_all(const DpCall *call)
{
	DpChargeAnswer *answers = palloc0(call->count * sizeof(DpChargeAnswer));
	DpChargeAnswer *made = palloc0(call->count * sizeof(DpChargeAnswer));
	DpCharge   *charges = palloc0(call->count * sizeof(DpCharge));
	int		   *place = palloc(call->count * sizeof(int));
	int			count = 0;

	for (int i = 0; i < call->count; i++)
		if (read_charge(call, i, &charges[count], &answers[i]))
			place[count++] = i;
	if (count > 0)
		dp_budget_charge_answered(charges, made, count);
	for (int i = 0; i < count; i++)
		answers[place[i]] = made[i];
	return answers;
}

/*
 * dp_agg.replica_charge(roles oid[], datasets text[], releases jsonb[], statements text[], home text, standby text)
 * returns setof bytea: what came of each charge, in their order
 */
Datum
dp_budget_replica_charge(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpCall		call = {.count = -1};
	DpChargeAnswer *answers;

	for (int i = 0; i < PG_NARGS(); i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument %d of dp_agg.replica_charge must not be null", i + 1)));
	check_follows(text_to_cstring(PG_GETARG_TEXT_PP(4)), text_to_cstring(PG_GETARG_TEXT_PP(5)));
	call.role = read_array(&call, PG_GETARG_ARRAYTYPE_P(0), OIDOID, sizeof(Oid), NULL);
	call.dataset = read_array(&call, PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, NULL);
	call.releases = read_array(&call, PG_GETARG_ARRAYTYPE_P(2), JSONBOID, -1, NULL);
	call.statement = read_array(&call, PG_GETARG_ARRAYTYPE_P(3), TEXTOID, -1, &call.untold);
	call.standby = PG_GETARG_DATUM(5);
	check_size(&call);
	/* What fails from here on tells nothing of the charges. */
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	answers = charge_all(&call);
	for (int i = 0; i < call.count; i++)
	{
		Datum		reply = PointerGetDatum(dp_budget_replica_reply_write(&answers[i]));
		bool		null = false;

		tuplestore_putvalues(result->setResult, result->setDesc, &reply, &null);
	}
	return (Datum) 0;
}
