/*
 * admin.c
 *	  SQL functions that administer budgets and show them.
 *
 * set, drop and reset run as the tables' owner with a pinned search path (see
 * the install script): whoever was granted EXECUTE may use them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "budget/row.h"

PG_FUNCTION_INFO_V1(dp_budget_set);
PG_FUNCTION_INFO_V1(dp_budget_drop);
PG_FUNCTION_INFO_V1(dp_budget_reset);
PG_FUNCTION_INFO_V1(dp_budget_epsilon_spent);
PG_FUNCTION_INFO_V1(dp_budget_sees);

static void
raise_invalid(const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message)));
}

static void
check_no_nulls(FunctionCallInfo fcinfo)
{
	for (int i = 0; i < PG_NARGS(); i++)
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

/* Run a command with arguments that are not null; the number of rows changed. */
static uint64
execute(const char *command, int count, Oid *types, Datum *values)
{
	uint64		processed;
	int			result;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	result = SPI_execute_with_args(command, count, types, values, NULL, false, 0);
	if (result < 0)
		elog(ERROR, "could not change the budget table: %s", SPI_result_code_string(result));
	processed = SPI_processed;
	SPI_finish();
	return processed;
}

static Datum
nothing_spent(void)
{
	static const double nothing[DP_ORDERS] = {0};

	return dp_budget_row_array(nothing, DP_ORDERS);
}

/* Insert or change the row with this limit. */
static void
store_limit(Oid role, Datum dataset, const DpLimit *limit)
{
	double		orders[DP_FILTER_ORDERS];
	Oid			types[] = {
		TEXTOID, REGROLEOID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID,
		FLOAT8ARRAYOID, FLOAT8ARRAYOID, FLOAT8ARRAYOID
	};
	Datum		values[lengthof(types)];

	for (int i = 0; i < DP_FILTER_ORDERS; i++)
		orders[i] = dp_accounting_order[limit->order[i]];
	values[0] = dataset;
	values[1] = ObjectIdGetDatum(role);
	values[2] = Float8GetDatum(limit->epsilon);
	values[3] = Float8GetDatum(limit->delta);
	values[4] = Float8GetDatum(limit->delta_rdp);
	values[5] = Float8GetDatum(limit->delta_partition);
	values[6] = dp_budget_row_array(orders, DP_FILTER_ORDERS);
	values[7] = dp_budget_row_array(limit->weight, DP_FILTER_ORDERS);
	values[8] = nothing_spent();
	execute("INSERT INTO dp_agg.budget (dataset, role, epsilon_limit, delta_limit,"
			" delta_rdp, delta_partition, orders, weights, rdp_spent)"
			" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
			" ON CONFLICT (role, dataset) DO UPDATE SET"
			" epsilon_limit = EXCLUDED.epsilon_limit, delta_limit = EXCLUDED.delta_limit,"
			" delta_rdp = EXCLUDED.delta_rdp, delta_partition = EXCLUDED.delta_partition,"
			" orders = EXCLUDED.orders, weights = EXCLUDED.weights",
			lengthof(types), types, values);
}

/* dp_agg.set_budget(role regrole, epsilon float8, delta float8, dataset text) */
Datum
dp_budget_set(PG_FUNCTION_ARGS)
{
	DpLimit		limit;
	const char *problem;

	check_no_nulls(fcinfo);
	check_role(PG_GETARG_OID(0));
	check_dataset(PG_GETARG_TEXT_PP(3));
	problem = dp_accounting_limit_init(&limit, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
	if (problem != NULL)
		raise_invalid(problem);
	store_limit(PG_GETARG_OID(0), PG_GETARG_DATUM(3), &limit);
	PG_RETURN_VOID();
}

/* Run a command on the row of the arguments, which must exist: $1 role, $2 dataset, $3 zeros. */
static void
change_row(FunctionCallInfo fcinfo, const char *command)
{
	Oid			types[] = {REGROLEOID, TEXTOID, FLOAT8ARRAYOID};
	Datum		values[lengthof(types)];

	check_no_nulls(fcinfo);
	check_dataset(PG_GETARG_TEXT_PP(1));
	values[0] = PG_GETARG_DATUM(0);
	values[1] = PG_GETARG_DATUM(1);
	values[2] = nothing_spent();
	if (execute(command, lengthof(types), types, values) == 0)
	{
		char	   *role = GetUserNameFromId(PG_GETARG_OID(0), true);

		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" has no budget on data set \"%s\"",
						role != NULL ? role : psprintf("%u", PG_GETARG_OID(0)),
						text_to_cstring(PG_GETARG_TEXT_PP(1)))));
	}
}

/* dp_agg.drop_budget(role regrole, dataset text) */
Datum
dp_budget_drop(PG_FUNCTION_ARGS)
{
	change_row(fcinfo, "DELETE FROM dp_agg.budget WHERE role = $1 AND dataset = $2");
	PG_RETURN_VOID();
}

/* dp_agg.reset_budget(role regrole, dataset text) */
Datum
dp_budget_reset(PG_FUNCTION_ARGS)
{
	change_row(fcinfo,
			   "UPDATE dp_agg.budget SET"
			   " rdp_spent = $3, pure_spent = 0, delta_spent = 0,"
			   " statements = 0, refusals = 0, last_charge = NULL"
			   " WHERE role = $1 AND dataset = $2");
	PG_RETURN_VOID();
}

/* Read a value of type dp_agg.budget; false if it makes no sense. */
static bool
read_row(HeapTupleHeader record, DpBudgetRow *row)
{
	TupleDesc	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(record),
											  HeapTupleHeaderGetTypMod(record));
	HeapTupleData tuple = {
		.t_len = HeapTupleHeaderGetDatumLength(record),
		.t_data = record
	};
	Datum	   *values = palloc(desc->natts * sizeof(Datum));
	bool	   *nulls = palloc(desc->natts * sizeof(bool));
	bool		good = desc->natts >= DP_BUDGET_COLUMNS;

	for (int i = 0; good && i < DP_BUDGET_COLUMNS; i++)
		good = TupleDescAttr(desc, i)->atttypid == dp_budget_row_types[i];
	if (good)
	{
		heap_deform_tuple(&tuple, desc, values, nulls);
		good = dp_budget_row_decode(values, nulls, row);
	}
	ReleaseTupleDesc(desc);
	return good;
}

/* dp_agg.epsilon_spent(budget dp_agg.budget) returns float8 */
Datum
dp_budget_epsilon_spent(PG_FUNCTION_ARGS)
{
	DpBudgetRow row;

	if (!read_row(PG_GETARG_HEAPTUPLEHEADER(0), &row))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(dp_accounting_epsilon_spent(&row.balance.limit, &row.balance.spent));
}

/* dp_agg.sees_budget(role regrole, administrators regrole) returns boolean */
Datum
dp_budget_sees(PG_FUNCTION_ARGS)
{
	Oid			role = PG_GETARG_OID(0);

	PG_RETURN_BOOL(role == GetUserId() || role == GetOuterUserId() ||
				   has_privs_of_role(GetUserId(), PG_GETARG_OID(1)));
}
