/*
 * harden.c
 *	  Closing what PostgreSQL itself shows every role about all tables.
 *
 * What that is, and how it is closed, is the table dp_agg.side_channels().
 */
#include "postgres.h"

#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(dp_query_harden);

/* One statement for all functions of a channel, a line each; one for each relation. */
#define OPEN_CHANNELS \
	"SELECT channel, CASE WHEN is_function" \
	" THEN format(E'REVOKE EXECUTE ON FUNCTION %s\nFROM PUBLIC; GRANT EXECUTE ON FUNCTION %1$s\nTO pg_read_all_stats'," \
	"  string_agg(substr(object, 10), E',\n' ORDER BY number))" \
	" ELSE min(revoke) END, min(reason)" \
	" FROM (SELECT *, object LIKE 'FUNCTION %' AS is_function" \
	"  FROM dp_agg.side_channels() WITH ORDINALITY c (channel, object, open, revoke, restore, reason, number)" \
	"  WHERE open) c" \
	" GROUP BY channel, is_function, CASE WHEN NOT is_function THEN object END" \
	" ORDER BY min(number)"

#define COLUMNS 3

/* Run a statement that grants or revokes. */
static void
apply_statement(const char *statement)
{
	int			result = SPI_execute(statement, false, 0);

	if (result != SPI_OK_UTILITY)
		elog(ERROR, "SPI_execute: %s: %s", SPI_result_code_string(result), statement);
}

/* harden(apply): the statements that are wanting, run if asked to. */
Datum
dp_query_harden(PG_FUNCTION_ARGS)
{
	bool		apply = PG_GETARG_BOOL(0);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	SPITupleTable *table;

	if (apply && !superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be superuser to harden a database"),
				 errhint("SELECT statement FROM dp_agg.harden() tells what to run.")));
	InitMaterializedSRF(fcinfo, 0);
	SPI_connect();
	if (SPI_execute(OPEN_CHANNELS, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not list side channels");
	table = SPI_tuptable;
	for (uint64 i = 0; i < table->numvals; i++)
	{
		Datum		values[COLUMNS];
		bool		nulls[COLUMNS];

		for (int column = 0; column < COLUMNS; column++)
			values[column] = SPI_getbinval(table->vals[i], table->tupdesc, column + 1, &nulls[column]);
		if (apply)
			apply_statement(TextDatumGetCString(values[1]));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	SPI_finish();
	return (Datum) 0;
}
