/* SPDX-License-Identifier: PostgreSQL */
/*
 * citus.c
 *	  Tables that Citus distributes, which no release may read.
 *
 * Citus plans a query over a table of its own as statements for other servers, and
 * sends them over connections of the role that asks.  That role may not read protected
 * rows, on no server.  A connection of another role cannot be had within its session,
 * either: what Citus passes on of the session, such as SET LOCAL, reaches all
 * connections of the transaction.  So none of its tables is read in a query over
 * protected rows, not even a public one, for which Citus would take the whole query
 * apart, or send rows to join them.
 *
 * Citus invalidates a relation when it becomes one of its tables, so that a
 * statement is validated again.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "policy/citus.h"

/* The catalog of its tables, its index, and the column that names a table. */
#define CITUS_TABLES "pg_dist_partition"
#define CITUS_TABLES_INDEX "pg_dist_partition_logical_relid_index"
#define CITUS_TABLE_COLUMN "logicalrelid"

/*
 * Is there a row for a table in the catalog of Citus?  Without the catalog there is
 * none; one without the column is taken to hold every table.
 */
static bool
is_listed(Oid catalog_id, Oid relid)
{
	AttrNumber	column = get_attnum(catalog_id, CITUS_TABLE_COLUMN);
	Oid			index = get_relname_relid(CITUS_TABLES_INDEX, PG_CATALOG_NAMESPACE);
	Relation	catalog;
	ScanKeyData key;
	SysScanDesc scan;
	bool		found;

	if (column == InvalidAttrNumber)
		return true;
	catalog = table_open(catalog_id, AccessShareLock);
	ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relid));
	scan = systable_beginscan(catalog, index, OidIsValid(index), NULL, 1, &key);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return found;
}

DpReason *
dp_policy_citus_obstacle(Oid relid)
{
	Oid			catalog = get_relname_relid(CITUS_TABLES, PG_CATALOG_NAMESPACE);

	if (!OidIsValid(catalog) || !is_listed(catalog, relid))
		return NULL;
	return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1,
							 "Ask on another server, where a foreign partition reads it; copy public tables there.",
							 "\"%s\" is a table of Citus", get_rel_name(relid));
}

/* Find the first table of Citus. */
static bool
citus_walker(Node *node, DpReason **reason)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		Oid			relid = ((RangeTblEntry *) node)->relid;

		if (OidIsValid(relid))
			*reason = dp_policy_citus_obstacle(relid);
		return *reason != NULL;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, citus_walker, reason, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, citus_walker, reason);
}

DpReason *
dp_policy_check_citus(List *queries, int location)
{
	DpReason   *reason = NULL;

	if (citus_walker((Node *) queries, &reason))
		reason->location = location;
	return reason;
}
