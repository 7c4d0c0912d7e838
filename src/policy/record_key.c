/* SPDX-License-Identifier: PostgreSQL */
/*
 * record_key.c
 *	  By which columns a row of a protected table finds a record of the same unit; see record_key.h.
 *
 * Three facts of the catalogs say so:
 *
 * - a unique key of a protected table determines the row, and so its unit;
 * - the link of a table that finds its unit through a foreign key leads to a row of the same unit;
 * - so does a foreign key that has the unit's column among others, and leads to a column that holds the unit of the
 *   row there.  A unique key among the other columns then finds the same row.
 *
 * From the row that a foreign key leads to one may go on in the same way.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "base/compat_catalog.h"
#include "policy/foreign_key.h"
#include "policy/policy.h"
#include "policy/record_key.h"
#include "policy/unique.h"

/* Do these columns of an index compare as their types and collations do? */
static bool
compares_plainly(Relation index, Relation relation)
{
	for (int i = 0; i < index->rd_index->indnkeyatts; i++)
	{
		AttrNumber	number = index->rd_index->indkey.values[i];
		Form_pg_attribute column;
		Oid			family;

		if (number <= 0)
			return false;
		column = TupleDescAttr(RelationGetDescr(relation), number - 1);
		family = lookup_type_cache(column->atttypid, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
		if (!OidIsValid(family) || index->rd_opfamily[i] != family ||
			index->rd_indcollation[i] != column->attcollation)
			return false;
	}
	return true;
}

/* Enter a key in its place, which is in ascending order. */
static void
enter_column(DpRecordKey *record, AttrNumber key, AttrNumber column)
{
	int			place = record->ncolumns++;

	for (; place > 0 && record->keys[place - 1] > key; place--)
	{
		record->keys[place] = record->keys[place - 1];
		record->columns[place] = record->columns[place - 1];
	}
	record->keys[place] = key;
	record->columns[place] = column;
}

/* Has a table a unique key with one of these columns? */
static bool
has_key(Relation relation, const Bitmapset *columns)
{
	Bitmapset  *keys = columns ? RelationGetIndexAttrBitmap(relation, INDEX_ATTR_BITMAP_KEY) : NULL;
	int			number = -1;

	while ((number = bms_next_member(columns, number)) >= 0)
		if (bms_is_member(number - FirstLowInvalidHeapAttributeNumber, keys))
			return true;
	return columns == NULL;
}

/* Are all columns of a key among these? */
static bool
are_among(const DpRecordKey *record, const Bitmapset *columns)
{
	for (int i = 0; columns && i < record->ncolumns; i++)
		if (!bms_is_member(record->columns[i], columns))
			return false;
	return true;
}

/* The unique keys of a table, as record keys of its own. */
static List *
own_keys(Relation relation, const Bitmapset *columns)
{
	List	   *records = NIL;
	ListCell   *lc;

	foreach(lc, !has_key(relation, columns) ? NIL : RelationGetIndexList(relation))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (dp_policy_key_is_in_force(index) && compares_plainly(index, relation))
		{
			DpRecordKey *record = palloc0(sizeof(DpRecordKey));

			record->relid = RelationGetRelid(relation);
			for (int i = 0; i < index->rd_index->indnkeyatts; i++)
				enter_column(record, index->rd_index->indkey.values[i], index->rd_index->indkey.values[i]);
			if (are_among(record, columns))
				records = lappend(records, record);
		}
		index_close(index, AccessShareLock);
	}
	return records;
}

/*
 * Is a foreign key checked for each row of which these columns are not NULL?  Its unit may be NULL: then the row is
 * ignored.
 */
static bool
is_checked(Relation relation, AttrNumber unit, const DpForeignKey *link, const DpRecordKey *record)
{
	for (int i = 0; i < link->ncolumns; i++)
	{
		bool		known = link->columns[i] == unit ||
			dp_policy_column_is_not_null(relation, link->columns[i]);

		for (int j = 0; j < record->ncolumns; j++)
			known = known || record->columns[j] == link->columns[i];
		if (!known)
			return false;
	}
	return true;
}

/* A record key of what a foreign key leads to, in columns of the table that refers; or NULL. */
static DpRecordKey *
referred(Relation relation, AttrNumber unit, const DpForeignKey *link, const DpRecordKey *key)
{
	DpRecordKey *record = palloc0(sizeof(DpRecordKey));

	record->relid = key->relid;
	for (int i = 0; i < key->ncolumns; i++)
	{
		AttrNumber	column = dp_policy_column_for(link, key->columns[i]);

		if (column == InvalidAttrNumber)
			return NULL;
		enter_column(record, key->keys[i], column);
	}
	return is_checked(relation, unit, link, record) ? record : NULL;
}

/* The keys to which these columns of a foreign key refer; NULL, for all, if columns are NULL. */
static Bitmapset *
keys_of(const DpForeignKey *link, const Bitmapset *columns)
{
	Bitmapset  *keys = NULL;

	for (int i = 0; columns && i < link->ncolumns; i++)
		if (bms_is_member(link->columns[i], columns))
			keys = bms_add_member(keys, link->keys[i]);
	return keys;
}

/* The record keys of a table.  Links are followed to tables once. */
static List *
record_keys(Relation relation, const Bitmapset *columns, List *visited)
{
	List	   *records = own_keys(relation, columns);
	DpPolicy	policy = {0};
	bool		malformed;
	ListCell   *lc;
	ListCell   *lc2;

	check_stack_depth();
	visited = lappend_oid(list_copy(visited), RelationGetRelid(relation));
	if (RelationGetFKeyList(relation) == NIL ||
		!dp_policy_policy_find(RelationGetRelid(relation), &policy, &malformed))
		return records;
	foreach(lc, dp_policy_unit_links(relation, &policy, columns))
	{
		const DpForeignKey *link = lfirst(lc);
		Relation	parent;

		if (list_member_oid(visited, link->parent))
			continue;
		parent = table_open(link->parent, AccessShareLock);
		foreach(lc2, record_keys(parent, keys_of(link, columns), visited))
		{
			DpRecordKey *record = referred(relation, policy.unit, link, lfirst(lc2));

			if (record)
				records = lappend(records, record);
		}
		table_close(parent, NoLock);
	}
	return records;
}

List *
dp_policy_record_keys(Relation relation, const Bitmapset *columns)
{
	return dp_policy_is_protected(RelationGetRelid(relation)) ? record_keys(relation, columns, NIL) : NIL;
}
