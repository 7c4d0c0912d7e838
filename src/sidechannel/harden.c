/* SPDX-License-Identifier: PostgreSQL */
/*
 * harden.c
 *	  Closing what PostgreSQL and extensions show every role about all tables.
 *
 * What that is, and how it is closed, is the table dp_agg.side_channels().  A
 * database that is hardened stays so when an extension comes to it, or is updated: what that
 * brings is closed by the same command.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "base/compat_planner.h"
#include "base/preloaded.h"
#include "sidechannel/harden.h"

PG_FUNCTION_INFO_V1(dp_sidechannel_harden);

/*
 * One statement for all functions of a channel, a line each; one for each relation and
 * procedure.  Unless functions $1 and relations $2 are null, only those of extensions,
 * and without $1 and $2.
 */
#define OPEN_CHANNELS \
	"SELECT channel, CASE WHEN is_function" \
	" THEN format(E'REVOKE EXECUTE ON FUNCTION %s\nFROM PUBLIC; GRANT EXECUTE ON FUNCTION %1$s\nTO pg_read_all_stats'," \
	"  string_agg(substr(object, 10), E',\n' ORDER BY number))" \
	" ELSE min(revoke) END, min(reason), count(*)" \
	" FROM (SELECT *, object LIKE 'FUNCTION %' AS is_function" \
	"  FROM dp_agg.side_channels() WITH ORDINALITY c (channel, object, open, revoke, restore, reason, number)" \
	"  WHERE open AND ($1 IS NULL OR channel LIKE 'extension %' AND CASE WHEN object ~ '^(FUNCTION|PROCEDURE) '" \
	"   THEN substr(object, strpos(object, ' ') + 1)::regprocedure::oid <> ALL ($1) ELSE object::regclass::oid <> ALL ($2) END)) c" \
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

/* Functions and relations that are open to PUBLIC. */
typedef struct OpenMembers
{
	List	   *functions;
	List	   *relations;
} OpenMembers;

/* Their numbers as an array of SQL. */
static Datum
oid_array(const List *oids)
{
	Datum	   *values = palloc((list_length(oids) + 1) * sizeof(Datum));
	int			count = 0;
	ListCell   *lc;

	foreach(lc, oids)
		values[count++] = ObjectIdGetDatum(lfirst_oid(lc));
	return PointerGetDatum(construct_array(values, count, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
}

/* The channels that are open; if members are given, those of extensions, but for these. */
static SPITupleTable *
open_channels(const OpenMembers *but)
{
	Oid			types[] = {OIDARRAYOID, OIDARRAYOID};
	Datum		values[] = {but ? oid_array(but->functions) : (Datum) 0, but ? oid_array(but->relations) : (Datum) 0};

	if (SPI_execute_with_args(OPEN_CHANNELS, 2, types, values, but ? NULL : "nn", false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not list side channels");
	return SPI_tuptable;
}

/* harden(apply): the statements that are wanting, run if asked to. */
Datum
dp_sidechannel_harden(PG_FUNCTION_ARGS)
{
	bool		apply = PG_GETARG_BOOL(0);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	SPITupleTable *table;

	if (apply && !superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be superuser to harden a database"),
				 errhint("SELECT statement FROM dp_agg.harden() tells what to run.")));
	if (apply)
		dp_warn_unless_preloaded();
	InitMaterializedSRF(fcinfo, 0);
	SPI_connect();
	table = open_channels(NULL);
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

/* The owner of dp_agg.side_channels(), if there is such a function, and it is the extension's: anybody may make such a schema. */
static Oid
keeper_of_channels(void)
{
	Oid			schema = get_namespace_oid("dp_agg", true);
	Oid			extension = get_extension_oid("dp_agg", true);
	HeapTuple	tuple;
	Oid			owner = InvalidOid;

	if (!OidIsValid(schema) || !OidIsValid(extension))
		return InvalidOid;
	tuple = SearchSysCache3(PROCNAMEARGSNSP, CStringGetDatum("side_channels"), PointerGetDatum(buildoidvector(NULL, 0)),
							ObjectIdGetDatum(schema));
	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	if (getExtensionOfObject(ProcedureRelationId, ((Form_pg_proc) GETSTRUCT(tuple))->oid) == extension)
		owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* Has dp_agg.harden been applied here?  By what it closes first and what it closes last. */
static bool
is_hardened(void)
{
	return !DP_MAY_EXECUTE(F_PG_TABLE_SIZE, ACL_ID_PUBLIC) &&
		pg_class_aclcheck(RelationRelationId, ACL_ID_PUBLIC, ACL_SELECT) != ACLCHECK_OK;
}

/* As whom, and how, the list of channels is read and they are closed. */
typedef struct Guise
{
	Oid			user;
	int			context;
	int			level;
} Guise;

/* Become the owner of the list, with the search path under which its statements are written. */
static Guise
take_guise(Oid keeper)
{
	Guise		before;

	GetUserIdAndSecContext(&before.user, &before.context);
	before.level = NewGUCNestLevel();
	SetUserIdAndSecContext(keeper, before.context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	return before;
}

/* Be who one was; an error does that too. */
static void
drop_guise(const Guise *before)
{
	SPI_finish();
	AtEOXact_GUC(false, before->level);
	SetUserIdAndSecContext(before->user, before->context);
}

/* Note a member of an extension if it is open to PUBLIC. */
static void
note_open(OpenMembers *open, Oid class, Oid member)
{
	if (class == ProcedureRelationId && DP_MAY_EXECUTE(member, ACL_ID_PUBLIC))
		open->functions = lappend_oid(open->functions, member);
	else if (class == RelationRelationId &&
			 (pg_class_aclmask(member, ACL_ID_PUBLIC, ACL_ALL_RIGHTS_RELATION, ACLMASK_ANY) != 0 ||
			  pg_attribute_aclcheck_all(member, ACL_ID_PUBLIC, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK))
		open->relations = lappend_oid(open->relations, member);
}

/*
 * The members of extensions that are open.  Without a query: some extensions can only be updated before a
 * session has had one planned.
 */
static OpenMembers
open_members(void)
{
	OpenMembers open = {NIL, NIL};
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(ExtensionRelationId));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend member = (Form_pg_depend) GETSTRUCT(tuple);

		if (member->deptype == DEPENDENCY_EXTENSION)
			note_open(&open, member->classid, member->objid);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return open;
}

/* Close what is open and was not; the number of objects. */
static int64
close_others(const OpenMembers *but, int64 *left)
{
	SPITupleTable *table = open_channels(but);
	int64		closed = 0;
	bool		null;

	for (uint64 i = 0; i < table->numvals; i++)
	{
		apply_statement(SPI_getvalue(table->vals[i], table->tupdesc, 2));
		closed += DatumGetInt64(SPI_getbinval(table->vals[i], table->tupdesc, 4, &null));
	}
	*left = 0;
	if (closed > 0)
	{
		table = open_channels(but);
		for (uint64 i = 0; i < table->numvals; i++)
			*left += DatumGetInt64(SPI_getbinval(table->vals[i], table->tupdesc, 4, &null));
	}
	return closed - *left;
}

/* Close what a command has brought, and tell whoever gave it. */
static void
close_new(Oid keeper, const OpenMembers *open_before)
{
	Guise		before = take_guise(keeper);
	int64		left;
	int64		closed = close_others(open_before, &left);

	drop_guise(&before);
	if (closed > 0)
		ereport(NOTICE,
				(errmsg_plural(INT64_FORMAT " function or view of an extension is closed to PUBLIC",
							   INT64_FORMAT " functions and views of extensions are closed to PUBLIC", (unsigned long) closed, closed),
				 errdetail("This database is hardened. What an extension shows is closed unless it is known to be harmless."),
				 errhint("SELECT * FROM dp_agg.side_channels() lists what is closed. GRANT it to the roles that need it.")));
	if (left > 0)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("what an extension shows is open to PUBLIC in a hardened database"),
				 errhint("SELECT * FROM dp_agg.harden(true) as superuser, and then dp_agg.check_exposure.")));
}

/* May a command bring members of extensions? */
static bool
brings_members(Node *command)
{
	return IsA(command, CreateExtensionStmt) || IsA(command, AlterExtensionStmt) ||
		(IsA(command, AlterExtensionContentsStmt) && ((AlterExtensionContentsStmt *) command)->action > 0);
}

void
dp_sidechannel_keep_hardened(Node *command, void (*run) (void *argument), void *argument)
{
	Oid			keeper = brings_members(command) && !creating_extension && !IsBinaryUpgrade && is_hardened() ?
		keeper_of_channels() : InvalidOid;
	OpenMembers open_before = {NIL, NIL};

	if (OidIsValid(keeper))
		open_before = open_members();

	run(argument);
	if (!OidIsValid(keeper))
		return;
	CommandCounterIncrement();
	close_new(keeper, &open_before);
}
