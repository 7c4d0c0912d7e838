/* SPDX-License-Identifier: PostgreSQL */
/*
 * admin.c
 *	  SQL functions that administer budgets and caps.
 *
 * What changes budgets runs as the tables' owner with a pinned search path (see
 * the install script): whoever was granted EXECUTE may use them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "base/compat_varlena.h"
#include "base/preloaded.h"
#include "budget/account/act.h"
#include "budget/account/home.h"
#include "budget/account/payer.h"
#include "budget/account/role.h"
#include "budget/account/store.h"
#include "budget/audit/number.h"
#include "budget/guard.h"
#include "budget/kept/kept.h"
#include "budget/limit_warning.h"
#include "budget/rows/ledger.h"
#include "budget/rows/row.h"

PG_FUNCTION_INFO_V1(dp_budget_set);
PG_FUNCTION_INFO_V1(dp_budget_drop);
PG_FUNCTION_INFO_V1(dp_budget_reset);
PG_FUNCTION_INFO_V1(dp_budget_set_cap);
PG_FUNCTION_INFO_V1(dp_budget_drop_cap);

static void
raise_invalid(const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message)));
}

static void
check_no_nulls(FunctionCallInfo fcinfo, int count)
{
	for (int i = 0; i < count; i++)
		if (PG_ARGISNULL(i))
			raise_invalid("arguments must not be null");
}

static void
check_dataset(text *dataset)
{
	int			length = VARSIZE_ANY_EXHDR(dataset);

	if (length == 0)
		raise_invalid("name of a data set must not be empty");
	if (length >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("name of a data set is too long"),
				 errdetail("It may have up to %d bytes.", NAMEDATALEN - 1)));
}

static void
check_role(Oid role)
{
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role with OID %u does not exist", role)));
}

/*
 * Understand the one row a command returned: a row that makes no sense can be
 * dropped, but nothing else.  False if it is such a row.
 */
static bool
read_returned(DpEvent event, DpBudgetRow *row)
{
	TupleDesc	desc = SPI_tuptable->tupdesc;
	Datum	   *values = palloc(desc->natts * sizeof(Datum));
	bool	   *nulls = palloc(desc->natts * sizeof(bool));
	bool		good;

	memset(row, 0, sizeof(*row));
	heap_deform_tuple(SPI_tuptable->vals[0], desc, values, nulls);
	good = dp_budget_row_decode(values, nulls, row);
	if (!good && event != DP_EVENT_DROP)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the row of the budget makes no sense"),
				 errhint("Drop the budget and set it anew.")));
	return good;
}

/* A command of ours on the row of a budget or cap. */
typedef struct DpCommand
{
	DpEvent		event;
	TimestampTz at;
	Oid			role;			/* InvalidOid: a cap */
	const char *dataset;
	const char *text;
	int			count;			/* of its parameters */
	Oid		   *types;
	Datum	   *values;
	const char *nulls;			/* or NULL */
} DpCommand;

/* Have the ledger say what is done to a row that was like this before. */
static void
record(const DpCommand *command, DpBudgetRow *row, bool good)
{
	DpCurve		spent = row->spent;
	char	   *counts = dp_budget_row_counts(row);

	if (command->event == DP_EVENT_SET)
		dp_budget_act_record(command->event, command->at, row, dp_budget_row_terms(row), &spent);
	else
	{
		memset(&row->spent, 0, sizeof(row->spent));
		dp_budget_act_record(command->event, command->at, row, counts, good ? &spent : NULL);
	}
}

/* Run a command through SPI, past the guards; what SPI says of it. */
static int
run(const DpCommand *command)
{
	DpGuardPass pass;
	int volatile result = 0;

	dp_budget_guard_open(&pass, command->event, command->role, command->dataset);
	PG_TRY();
	{
		result = SPI_execute_with_args(command->text, command->count, command->types,
									   command->values, command->nulls, false, 0);
	}
	PG_FINALLY();
	{
		dp_budget_guard_close(&pass);
	}
	PG_END_TRY();
	return result;
}

/* Have statements whose delta was chosen from a limit be planned anew, in all sessions, once this is committed. */
static void
replan(void)
{
	CacheInvalidateRelcacheByRelid(dp_budget_store_budget());
}

/*
 * Run a command that changes one row of the budget table, and returns it as it
 * is after a limit was set, or as it was before anything else; false if there
 * is no such row.
 */
static bool
act(const DpCommand *command)
{
	DpBudgetRow row;
	int			result;
	bool		found;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	dp_budget_store_allow_charges();
	result = run(command);
	if (result < 0)
		elog(ERROR, "could not change the budget table: %s", SPI_result_code_string(result));
	found = SPI_processed > 0;
	if (found)
	{
		bool		good = read_returned(command->event, &row);

		record(command, &row, good);
		if (command->event == DP_EVENT_SET || command->event == DP_EVENT_DROP)
			replan();
		if (command->event == DP_EVENT_DROP)
			dp_budget_kept_forget_budget(row.number);
	}
	SPI_finish();
	return found;
}

static Datum
nothing_spent(void)
{
	static const double nothing[DP_ORDERS] = {0};

	return dp_budget_row_array(nothing, DP_ORDERS);
}

/* Has the row of b spent nothing?  Every release has a pure epsilon, or an infinite one. */
#define UNSPENT "(b.pure_spent = 0 AND b.delta_spent = 0 AND b.variance_spent = 0 AND 0 = ALL (b.rdp_spent))"

#define KEPT_IF_SPENT(column) column " = CASE WHEN " UNSPENT " THEN EXCLUDED." column " ELSE b." column " END,"

/*
 * Insert a row, or change that which is there: what a history begins with stays until it has
 * spent nothing.  No row if other shares are asked for than it began with.
 */
static const char set_row[] =
"INSERT INTO dp_agg.budget AS b (dataset, role, epsilon_limit, delta_limit,"
" orders, weights, rdp_spent, pure_spent, delta_spent, variance_spent, coarseness,"
" entries, refresh, period_began, home, partition_share, variance_share, renyi_share, number)"
" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,"
" 1, $12, CASE WHEN $12 IS NOT NULL THEN $20 END, $13, $14, $15, $16, $21)"
" ON CONFLICT (role, dataset) DO UPDATE SET"
" epsilon_limit = EXCLUDED.epsilon_limit, delta_limit = EXCLUDED.delta_limit, "
KEPT_IF_SPENT("partition_share") KEPT_IF_SPENT("variance_share") KEPT_IF_SPENT("renyi_share")
KEPT_IF_SPENT("orders") KEPT_IF_SPENT("weights")
" entries = b.entries + 1, alert = NULL, alerted_at = NULL, refresh = EXCLUDED.refresh,"
" period_began = CASE WHEN b.refresh IS NULL OR EXCLUDED.refresh IS NULL"
" THEN EXCLUDED.period_began ELSE b.period_began END"
" WHERE " UNSPENT " OR (NOT ($17 AND b.partition_share <> $14)"
" AND NOT ($18 AND b.variance_share <> $15) AND NOT ($19 AND b.renyi_share <> $16))"
" RETURNING b.*";

/* Row that a budget or cap begins with, if it is not there yet. */
typedef struct DpBeginning
{
	const char *home;
	int64		number;
} DpBeginning;

/* Work it out, and hold what it needs, before other locks: see store.c. */
static DpBeginning
begin(Oid role, text *dataset)
{
	DpBeginning beginning;
	const char *command = OidIsValid(role) ? "dp_agg.set_budget()" : "dp_agg.set_dataset_cap()";

	PreventCommandDuringRecovery(command);
	PreventCommandIfReadOnly(command);
	beginning.number = dp_budget_number_for(role, text_to_cstring(dataset));
	beginning.home = dp_budget_home_settle();
	return beginning;
}

/*
 * Insert the row with this limit and what is spent, or change the limit of the
 * row that is there; an error if that has spent something, and began with other shares
 * than those that are asked for.
 */
static void
store_limit(Oid role, Datum dataset, const DpBeginning *beginning, const DpLimit *limit,
			const DpGivenShares *given, const DpCurve *spent, const Interval *refresh)
{
	double		orders[DP_FILTER_ORDERS];
	Oid			types[] = {
		TEXTOID, REGROLEOID, FLOAT8OID, FLOAT8OID, FLOAT8ARRAYOID, FLOAT8ARRAYOID,
		FLOAT8ARRAYOID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, INTERVALOID, TEXTOID,
		FLOAT8OID, FLOAT8OID, FLOAT8OID, BOOLOID, BOOLOID, BOOLOID, TIMESTAMPTZOID, INT8OID
	};
	Datum		values[lengthof(types)];
	char		nulls[lengthof(types) + 1];
	DpCommand	command = {
		.event = DP_EVENT_SET,
		.at = GetCurrentTimestamp(),
		.role = role,
		.dataset = TextDatumGetCString(dataset),
		.text = set_row,
		.count = lengthof(types),
		.types = types,
		.values = values,
		.nulls = nulls
	};

	dp_warn_unless_preloaded();
	for (int i = 0; i < limit->orders; i++)
		orders[i] = dp_accounting_order[limit->order[i]];
	values[0] = dataset;
	values[1] = ObjectIdGetDatum(role);
	values[2] = Float8GetDatum(limit->epsilon);
	values[3] = Float8GetDatum(limit->delta);
	values[4] = dp_budget_row_array(orders, limit->orders);
	values[5] = dp_budget_row_array(limit->weight, limit->orders);
	values[6] = dp_budget_row_array(spent->rdp, DP_ORDERS);
	values[7] = Float8GetDatum(spent->pure);
	values[8] = Float8GetDatum(spent->delta);
	values[9] = Float8GetDatum(spent->variance);
	values[10] = Float8GetDatum(spent->coarseness);
	values[11] = PointerGetDatum(refresh);
	values[12] = CStringGetTextDatum(beginning->home);
	values[13] = Float8GetDatum(limit->shares.partition);
	values[14] = Float8GetDatum(limit->shares.variance);
	values[15] = Float8GetDatum(limit->shares.rdp);
	values[16] = BoolGetDatum(given->partition);
	values[17] = BoolGetDatum(given->variance);
	values[18] = BoolGetDatum(given->rdp);
	values[19] = TimestampTzGetDatum(command.at);
	values[20] = Int64GetDatum(beginning->number);
	memset(nulls, ' ', lengthof(types));
	nulls[lengthof(types)] = '\0';
	if (refresh == NULL)
		nulls[11] = 'n';
	if (!act(&command))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("shares of delta cannot change after answers"),
				 errdetail("They are those that the budget began with."),
				 errhint("Leave them out, or begin anew with %s: what is promised from then on adds up with what was promised until then.",
						 OidIsValid(role) ? "dp_agg.reset_budget" : "dp_agg.drop_dataset_cap")));
}

static void
init_limit(DpLimit *limit, double epsilon, double delta, const DpShares *shares)
{
	const char *problem = dp_accounting_limit_init(limit, epsilon, delta, shares);

	if (problem != NULL)
		raise_invalid(problem);
}

/*
 * dp_agg.set_budget(role regrole, epsilon float8, delta float8, dataset text,
 * refresh interval, partition_share float8, variance_share float8, renyi_share float8), where
 * refresh and shares may be null
 */
Datum
dp_budget_set(PG_FUNCTION_ARGS)
{
	static const DpCurve nothing = {{0}};
	const Interval *refresh = PG_ARGISNULL(4) ? NULL : PG_GETARG_INTERVAL_P(4);
	DpBeginning beginning;
	DpGivenShares given;
	DpShares	shares;
	DpLimit		limit;

	check_no_nulls(fcinfo, 4);
	check_role(PG_GETARG_OID(0));
	check_dataset(PG_GETARG_TEXT_PP(3));
	shares = dp_budget_shares_read(fcinfo, 5, &given);
	init_limit(&limit, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), &shares);
	if (refresh != NULL && !dp_budget_row_is_period(refresh))
		raise_invalid("refresh must be positive, and so must all its parts, up to 120000 months and 3600000 days");
	beginning = begin(PG_GETARG_OID(0), PG_GETARG_TEXT_PP(3));
	dp_budget_role_hold(PG_GETARG_OID(0));
	store_limit(PG_GETARG_OID(0), PG_GETARG_DATUM(3), &beginning, &limit, &given, &nothing, refresh);
	dp_budget_warn_of_limit(text_to_cstring(PG_GETARG_TEXT_PP(3)), limit.epsilon);
	PG_RETURN_VOID();
}

/*
 * dp_agg.set_dataset_cap(dataset text, epsilon float8, delta float8, partition_share float8,
 * variance_share float8, renyi_share float8), where shares may be null
 */
Datum
dp_budget_set_cap(PG_FUNCTION_ARGS)
{
	DpBeginning beginning;
	DpGivenShares given;
	DpShares	shares;
	DpLimit		limit;
	DpCurve		spent;

	check_no_nulls(fcinfo, 3);
	check_dataset(PG_GETARG_TEXT_PP(0));
	shares = dp_budget_shares_read(fcinfo, 3, &given);
	init_limit(&limit, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), &shares);
	beginning = begin(InvalidOid, PG_GETARG_TEXT_PP(0));
	dp_budget_store_exclude_charges();
	if (!dp_budget_payer_total(text_to_cstring(PG_GETARG_TEXT_PP(0)), &spent))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the row of a budget on data set \"%s\" makes no sense",
						text_to_cstring(PG_GETARG_TEXT_PP(0)))));
	store_limit(InvalidOid, PG_GETARG_DATUM(0), &beginning, &limit, &given, &spent, NULL);
	dp_budget_warn_of_limit(text_to_cstring(PG_GETARG_TEXT_PP(0)), limit.epsilon);
	PG_RETURN_VOID();
}

/* Run a command on the row of $1 role, $2 dataset; false if there is none. */
static bool
change_row(DpEvent event, Oid role, text *dataset, const char *sql)
{
	Oid			types[] = {REGROLEOID, TEXTOID, FLOAT8ARRAYOID};
	Datum		values[lengthof(types)];
	DpCommand	command = {
		.event = event,
		.at = GetCurrentTimestamp(),
		.role = role,
		.dataset = text_to_cstring(dataset),
		.text = sql,
		.count = lengthof(types),
		.types = types,
		.values = values
	};

	check_dataset(dataset);
	values[0] = ObjectIdGetDatum(role);
	values[1] = PointerGetDatum(dataset);
	values[2] = nothing_spent();
	return act(&command);
}

/* The same for the budget of the arguments, which must exist. */
static void
change_budget(FunctionCallInfo fcinfo, DpEvent event, const char *command)
{
	char	   *role;

	check_no_nulls(fcinfo, 2);
	if (OidIsValid(PG_GETARG_OID(0)) &&
		change_row(event, PG_GETARG_OID(0), PG_GETARG_TEXT_PP(1), command))
		return;
	role = GetUserNameFromId(PG_GETARG_OID(0), true);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("role \"%s\" has no budget on data set \"%s\"",
					role != NULL ? role : psprintf("%u", PG_GETARG_OID(0)),
					text_to_cstring(PG_GETARG_TEXT_PP(1)))));
}

static const char drop_row[] =
"DELETE FROM dp_agg.budget AS b WHERE role = $1 AND dataset = $2 RETURNING b.*";

/*
 * Raise an error if a role that spent its budget would go on with that of a pool: what it was answered
 * before and after adds up, which dropping is not meant to hide.
 */
static void
check_not_reopened(Oid role, const char *dataset)
{
	Oid			pool;

	if (dp_budget_payer_would_reopen(role, dataset, &pool))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("role \"%s\" would draw on the budget of \"%s\" on data set \"%s\"",
						GetUserNameFromId(role, false), GetUserNameFromId(pool, false), dataset),
				 errdetail("It has spent some of its own, and losses add up."),
				 errhint("Revoke the membership, or forget first what was spent, with dp_agg.reset_budget.")));
}

/* dp_agg.drop_budget(role regrole, dataset text) */
Datum
dp_budget_drop(PG_FUNCTION_ARGS)
{
	PreventCommandDuringRecovery("dp_agg.drop_budget()");
	dp_budget_role_lock(PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0));
	check_no_nulls(fcinfo, 2);
	check_not_reopened(PG_GETARG_OID(0), text_to_cstring(PG_GETARG_TEXT_PP(1)));
	change_budget(fcinfo, DP_EVENT_DROP, drop_row);
	dp_budget_role_release(PG_GETARG_OID(0));
	PG_RETURN_VOID();
}

/* dp_agg.reset_budget(role regrole, dataset text) */
Datum
dp_budget_reset(PG_FUNCTION_ARGS)
{
	PreventCommandDuringRecovery("dp_agg.reset_budget()");
	change_budget(fcinfo, DP_EVENT_RESET,
				  "UPDATE dp_agg.budget AS b SET"
				  " rdp_spent = $3, pure_spent = 0, delta_spent = 0, variance_spent = 0, coarseness = 0,"
				  " statements = 0, refusals = 0, last_charge = NULL, alert = NULL, alerted_at = NULL, entries = b.entries + 1"
				  " FROM (SELECT * FROM dp_agg.budget"
				  " WHERE role = $1 AND dataset = $2 FOR UPDATE) AS old"
				  " WHERE b.role = old.role AND b.dataset = old.dataset RETURNING old.*");
	PG_RETURN_VOID();
}

/* dp_agg.drop_dataset_cap(dataset text) */
Datum
dp_budget_drop_cap(PG_FUNCTION_ARGS)
{
	PreventCommandDuringRecovery("dp_agg.drop_dataset_cap()");
	check_no_nulls(fcinfo, 1);
	if (!change_row(DP_EVENT_DROP, InvalidOid, PG_GETARG_TEXT_PP(0), drop_row))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("data set \"%s\" has no cap",
						text_to_cstring(PG_GETARG_TEXT_PP(0)))));
	PG_RETURN_VOID();
}
