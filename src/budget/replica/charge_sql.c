/* SPDX-License-Identifier: PostgreSQL */
/*
 * charge_sql.c
 *	  The SQL function by which a standby has a budget charged on its primary.
 *
 * The standby is believed about who asks and what is asked: it holds all rows anyway.  It is
 * not believed about limits, which it never sends, nor about the cost, which follows from the
 * releases as that of every row of the ledger does.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"

#include "base/settings.h"
#include "budget/account/home.h"
#include "budget/keeper/client.h"
#include "budget/replica/reply.h"
#include "budget/rows/ledger_cost.h"
#include "budget/rows/ledger.h"
#include "budget/rows/row.h"

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

/* What the releases cost; an error if they make no sense, or are none. */
static DpCurve
cost_of(const Jsonb *releases)
{
	DpCurve		cost;

	if (!JB_ROOT_IS_ARRAY(releases) || JB_ROOT_COUNT(releases) == 0 ||
		!dp_budget_ledger_cost(releases, &cost) || !dp_budget_row_valid_cost(&cost))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("releases of a charge make no sense")));
	return cost;
}

/* dp_agg.replica_charge(role oid, dataset text, releases jsonb, statement text, home text, standby text) returns bytea */
Datum
dp_budget_replica_charge(PG_FUNCTION_ARGS)
{
	DpCharge	charge = {0};
	DpChargeAnswer answer;

	for (int i = 0; i < PG_NARGS(); i++)
		if (i != 3 && PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument %d of dp_agg.replica_charge must not be null", i + 1)));
	check_follows(text_to_cstring(PG_GETARG_TEXT_PP(4)), text_to_cstring(PG_GETARG_TEXT_PP(5)));
	charge.role = PG_GETARG_OID(0);
	charge.dataset = text_to_cstring(PG_GETARG_TEXT_PP(1));
	if (!PG_ARGISNULL(3) && dp_settings_ledger_statements)
		charge.statement = clipped(PG_GETARG_DATUM(3), DP_STATEMENT_BYTES);
	charge.cost = cost_of(PG_GETARG_JSONB_P(2));
	charge.releases = note_standby(PG_GETARG_DATUM(2), PG_GETARG_DATUM(5));
	if (!OidIsValid(charge.role))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a charge must name a role")));
	dp_budget_charge_answered(&charge, &answer);
	PG_RETURN_BYTEA_P(dp_budget_replica_reply_write(&answer));
}
