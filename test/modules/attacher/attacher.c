/*
 * attacher.c
 *	  An extension that attaches what its caller asks for, below the checks of rights that
 *	  PostgreSQL's commands make, as some extensions do for what they maintain.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/heap.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parser.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(attach_trigger);
PG_FUNCTION_INFO_V1(attach_as);
PG_FUNCTION_INFO_V1(attach_check);

/* A trigger after each row that is inserted, internal to whoever makes it. */
Datum
attach_trigger(PG_FUNCTION_ARGS)
{
	CreateTrigStmt *statement = makeNode(CreateTrigStmt);
	Oid			function = PG_GETARG_OID(2);
	Datum	   *args;
	int			nargs;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(3), TEXTOID, -1, false, TYPALIGN_INT, &args, NULL, &nargs);
	statement->trigname = text_to_cstring(PG_GETARG_TEXT_PP(1));
	statement->funcname = list_make2(makeString(get_namespace_name(get_func_namespace(function))),
									 makeString(get_func_name(function)));
	for (int i = 0; i < nargs; i++)
		statement->args = lappend(statement->args, makeString(TextDatumGetCString(args[i])));
	statement->row = true;
	statement->timing = TRIGGER_TYPE_AFTER;
	statement->events = TRIGGER_TYPE_INSERT;
	(void) CreateTrigger(statement, NULL, PG_GETARG_OID(0), InvalidOid, InvalidOid, InvalidOid,
						 InvalidOid, InvalidOid, NULL, true, false);
	CommandCounterIncrement();
	PG_RETURN_VOID();
}

/* A CHECK constraint, whosever the table is. */
Datum
attach_check(PG_FUNCTION_ARGS)
{
	char	   *command = psprintf("ALTER TABLE t ADD CHECK (%s)", text_to_cstring(PG_GETARG_TEXT_PP(1)));
	RawStmt    *raw = linitial(raw_parser(command, RAW_PARSE_DEFAULT));
	AlterTableCmd *part = linitial(((AlterTableStmt *) raw->stmt)->cmds);
	Relation	relation = table_open(PG_GETARG_OID(0), AccessExclusiveLock);

	((Constraint *) part->def)->initially_valid = true;
	(void) AddRelationNewConstraints(relation, NIL, list_make1(part->def), false, true, true, NULL);
	table_close(relation, NoLock);
	CommandCounterIncrement();
	PG_RETURN_VOID();
}

/* Run a command as some role; an error ends the transaction, or the subtransaction, and that. */
Datum
attach_as(PG_FUNCTION_ARGS)
{
	char	   *command = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Oid			user;
	int			context;

	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(PG_GETARG_OID(0), context | SECURITY_LOCAL_USERID_CHANGE);
	SPI_connect();
	if (SPI_execute(command, false, 0) < 0)
		elog(ERROR, "could not run \"%s\"", command);
	SPI_finish();
	SetUserIdAndSecContext(user, context);
	PG_RETURN_VOID();
}
