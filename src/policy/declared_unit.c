/* SPDX-License-Identifier: PostgreSQL */
/*
 * declared_unit.c
 *	  Warnings of a privacy unit that may not be meant.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_statistic.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "base/compat_catalog.h"
#include "policy/declared_unit.h"
#include "policy/unique.h"
#include "sidechannel/instrumentation.h"

/* Pages of all tables of a tree that are read to find rows without a unit. */
#define MOST_PAGES 16384

/*
 * Units that are keys.
 */

/* Is this column alone the primary key? */
static bool
is_primary_key(Relation relation, AttrNumber column)
{
	Bitmapset  *key = RelationGetIndexAttrBitmap(relation, INDEX_ATTR_BITMAP_PRIMARY_KEY);

	return bms_equal(key, bms_make_singleton(column - FirstLowInvalidHeapAttributeNumber));
}

/* Remove an ending of a name, which is in lower case, if it has it and more. */
static bool
remove_ending(char *name, const char *ending)
{
	size_t		length = strlen(name);
	size_t		end = strlen(ending);

	if (length <= end || strcmp(name + length - end, ending) != 0)
		return false;
	name[length - end] = '\0';
	return true;
}

/* Is a column named after people, as patient, "customerId" or account_no are? */
static bool
is_named_after_people(const char *name)
{
	static const char *const numbers[] = {"id", "no", "nr", "num", "number", "key", "code", "uuid"};
	static const char *const people[] = {
		"patient", "person", "people", "user", "customer", "client", "member", "employee", "student", "pupil",
		"subject", "citizen", "resident", "participant", "account", "household", "visitor", "subscriber", "respondent"
	};
	char	   *stem = str_tolower(name, strlen(name), C_COLLATION_OID);

	for (int i = 0; i < lengthof(numbers); i++)
		if (remove_ending(stem, numbers[i]))
			break;
	while (remove_ending(stem, "_") || remove_ending(stem, "s"))
		;
	for (int i = 0; i < lengthof(people); i++)
		if (strcmp(stem, people[i]) == 0 || remove_ending(stem, psprintf("_%s", people[i])))
			return true;
	return false;
}

/* A column that is named after people and is no key, if the unit's is not; or 0. */
static AttrNumber
people_column(Relation relation, AttrNumber unit)
{
	TupleDesc	desc = RelationGetDescr(relation);

	if (is_named_after_people(NameStr(TupleDescAttr(desc, unit - 1)->attname)))
		return InvalidAttrNumber;
	for (AttrNumber i = 1; i <= desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i - 1);

		if (!column->attisdropped && i != unit && column->atttypid != BOOLOID &&
			is_named_after_people(NameStr(column->attname)) && !dp_policy_column_is_unique(relation, i))
			return i;
	}
	return InvalidAttrNumber;
}

/* Say so. */
static void
tell_of_rows(int level, Relation relation, AttrNumber unit, const char *detail)
{
	bool		primary = is_primary_key(relation, unit);

	ereport(level,
			(errmsg("each row of \"%s\" is a privacy unit of its own: column \"%s\" is %s", RelationGetRelationName(relation),
					get_attname(RelationGetRelid(relation), unit, false), primary ? "its primary key" : "unique"),
			 errdetail("%s", detail),
			 errhint("If that is whose row it is, protect the table by that column.")));
}

void
dp_policy_warn_of_rows(Relation relation, const DpPolicy *policy)
{
	DpPolicy	other;
	bool		malformed;
	AttrNumber	column;
	ListCell   *lc;

	if (!is_primary_key(relation, policy->unit) && !dp_policy_column_is_unique(relation, policy->unit))
		return;
	foreach(lc, RelationGetFKeyList(relation))
	{
		const ForeignKeyCacheInfo *key = lfirst(lc);

		if (key->conkey[0] == policy->unit)
			continue;
		tell_of_rows(dp_policy_policy_find(key->confrelid, &other, &malformed) ? WARNING : NOTICE, relation, policy->unit,
					 psprintf("Column \"%s\" refers to \"%s\".", get_attname(policy->relid, key->conkey[0], false),
							  get_rel_name(key->confrelid)));
		return;
	}
	column = people_column(relation, policy->unit);
	if (column != InvalidAttrNumber)
		tell_of_rows(NOTICE, relation, policy->unit,
					 psprintf("Column \"%s\" is named after people.", get_attname(policy->relid, column, false)));
}

/*
 * Rows without a unit.
 */

/* Has a relation rows of its own that a scan finds, in this session? */
static bool
has_storage(Relation relation)
{
	return relation->rd_rel->relkind == RELKIND_RELATION && !RELATION_IS_OTHER_TEMP(relation);
}

/* The pages of a table and of all that inherit from it. */
static uint64
pages_of(List *tables)
{
	uint64		pages = 0;
	ListCell   *lc;

	foreach(lc, tables)
	{
		Relation	table = table_open(lfirst_oid(lc), AccessShareLock);

		if (has_storage(table))
			pages += RelationGetNumberOfBlocks(table);
		table_close(table, NoLock);
	}
	return pages;
}

/* Has a table a row of which this column is NULL? */
static bool
has_null(Relation table, AttrNumber column)
{
	TableScanDesc scan = table_beginscan(table, GetActiveSnapshot(), 0, NULL);
	TupleTableSlot *slot = table_slot_create(table, NULL);
	bool		found = false;

	while (!found && table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		found = slot_attisnull(slot, column);
	}
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
	return found;
}

/* Has one of these tables one, in the column of this name? */
static bool
any_has_null(List *tables, const char *name)
{
	bool		found = false;
	ListCell   *lc;

	foreach(lc, tables)
	{
		Relation	table = table_open(lfirst_oid(lc), AccessShareLock);
		AttrNumber	column = get_attnum(lfirst_oid(lc), name);

		found |= !found && has_storage(table) && column > 0 && has_null(table, column);
		table_close(table, NoLock);
	}
	return found;
}

/* The same without statistics, or messages, of what is read. */
static bool
find_null(List *tables, const char *name)
{
	DpQuiet		quiet;
	volatile bool found = false;

	dp_sidechannel_quiet_begin(&quiet);
	PG_TRY();
	{
		found = any_has_null(tables, name);
	}
	PG_CATCH();
	{
		dp_sidechannel_quiet_fail(&quiet);
		PG_RE_THROW();
	}
	PG_END_TRY();
	dp_sidechannel_quiet_end(&quiet);
	return found;
}

/* The share of rows that have none, as ANALYZE found it. */
static double
null_share(Oid relid, AttrNumber column, bool inherits)
{
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relid), Int16GetDatum(column), BoolGetDatum(inherits));
	double		share = 0;

	if (!HeapTupleIsValid(tuple))
		return 0;
	share = ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac;
	ReleaseSysCache(tuple);
	return share;
}

void
dp_policy_warn_of_nulls(Relation relation, const DpPolicy *policy)
{
	const char *name = get_attname(policy->relid, policy->unit, false);
	List	   *tables;
	bool		found;

	if (dp_policy_column_is_not_null(relation, policy->unit))
		return;
	tables = find_all_inheritors(policy->relid, AccessShareLock, NULL);
	if (pages_of(tables) <= MOST_PAGES)
		found = find_null(tables, name);
	else
		found = null_share(policy->relid, policy->unit, list_length(tables) > 1) > 0;
	if (found)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("rows of \"%s\" have no privacy unit: column \"%s\" is NULL", RelationGetRelationName(relation), name),
				 errdetail("They count in no answer, and nobody is told how many they are."),
				 errhint("Give each of them a unit, of its own if it is nobody's, and declare the column NOT NULL.")));
}
