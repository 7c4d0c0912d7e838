/* SPDX-License-Identifier: PostgreSQL */
/*
 * compat_catalog.h
 *	  Versions of PostgreSQL: catalogs, owners, indexes and locks.
 *
 * Only this and its like beside it know version numbers: PostgreSQL 15 to 19.  Code elsewhere uses
 * the names defined here.  Each is a thin inline function that says what it guarantees on every version.
 */
#ifndef DP_BASE_COMPAT_CATALOG_H
#define DP_BASE_COMPAT_CATALOG_H

#include "postgres.h"

#include "access/heapam.h"
#include "access/nbtree.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/acl.h"

#include "base/compat_varlena.h"

/* Does the role own an object of this catalog: of relations, databases, extensions, types or schemas? */
static inline bool
dp_compat_owns(Oid catalog, Oid object, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(catalog, object, role);
#else
	return catalog == RelationRelationId ? pg_class_ownercheck(object, role) :
		catalog == DatabaseRelationId ? pg_database_ownercheck(object, role) :
		catalog == ExtensionRelationId ? pg_extension_ownercheck(object, role) :
		catalog == TypeRelationId ? pg_type_ownercheck(object, role) :
		catalog == NamespaceRelationId && pg_namespace_ownercheck(object, role);
#endif
}

/* May the role refresh the materialized view, or put the table in order?  Since 17 there is a privilege for it. */
static inline bool
dp_compat_may_maintain(Oid relid, Oid role)
{
#if PG_VERSION_NUM >= 170000
	return pg_class_aclcheck(relid, role, ACL_MAINTAIN) == ACLCHECK_OK;
#else
	return dp_compat_owns(RelationRelationId, relid, role);
#endif
}

/*
 * May the role make itself a member of the other?  Before 16 CREATEROLE was enough for
 * all roles but superusers.
 */
static inline bool
dp_compat_may_grant(Oid member, Oid role)
{
#if PG_VERSION_NUM < 160000
	if (has_createrole_privilege(member) && !superuser_arg(role))
		return true;
#endif
	return is_admin_of_role(member, role);
}

/* Is a foreign key about periods (18), of which several rows may cover one? */
static inline bool
dp_compat_is_of_periods(Form_pg_constraint constraint)
{
#if PG_VERSION_NUM >= 180000
	return constraint->conperiod;
#else
	return false;
#endif
}

/* Is a foreign key validated, and enforced (18)? */
static inline bool
dp_compat_constraint_holds(Form_pg_constraint constraint)
{
#if PG_VERSION_NUM >= 180000
	return constraint->convalidated && constraint->conenforced;
#else
	return constraint->convalidated;
#endif
}

/* Is the column computed whenever it is read? */
static inline bool
dp_compat_is_virtual(Form_pg_attribute column)
{
#if PG_VERSION_NUM >= 180000
	return column->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL;
#else
	return false;
#endif
}

/* Is the column known to be not null in every row?  18 has unproven constraints. */
static inline bool
dp_compat_is_not_null(TupleDesc desc, AttrNumber number)
{
#if PG_VERSION_NUM >= 180000
	return TupleDescCompactAttr(desc, number - 1)->attnullability == ATTNULLABLE_VALID;
#else
	return TupleDescAttr(desc, number - 1)->attnotnull;
#endif
}

/* A description of rows whose columns have all been entered, fit for use. */
static inline TupleDesc
dp_compat_described(TupleDesc desc)
{
#if PG_VERSION_NUM >= 190000
	TupleDescFinalize(desc);
#endif
	return desc;
}

static inline Oid
dp_compat_primary_key(Relation relation)
{
#if PG_VERSION_NUM >= 180000
	return RelationGetPrimaryKeyIndex(relation, false);
#else
	return RelationGetPrimaryKeyIndex(relation);
#endif
}

/* Begin to scan an index with so many keys. */
static inline IndexScanDesc
dp_compat_begin_index_scan(Relation table, Relation index, Snapshot snapshot, int keys)
{
#if PG_VERSION_NUM >= 190000
	return index_beginscan(table, index, snapshot, NULL, keys, 0, 0);
#elif PG_VERSION_NUM >= 180000
	return index_beginscan(table, index, snapshot, NULL, keys, 0);
#else
	return index_beginscan(table, index, snapshot, keys, 0);
#endif
}

/*
 * Prune a page, if it looks worth it.  Nothing need be known of the visibility map (19).
 */
static inline void
dp_compat_prune(Relation relation, Buffer buffer)
{
#if PG_VERSION_NUM >= 190000
	Buffer		map = InvalidBuffer;

	heap_page_prune_opt(relation, buffer, &map, false);
	if (BufferIsValid(map))
		ReleaseBuffer(map);
#else
	heap_page_prune_opt(relation, buffer);
#endif
}

/*
 * The statement that rewrites a table in the order of an index, CLUSTER or REPACK (19): the
 * table and the index that it names, or NULL.
 */
#if PG_VERSION_NUM >= 190000
#define DP_ORDERING_STATEMENT T_RepackStmt
#else
#define DP_ORDERING_STATEMENT T_ClusterStmt
#endif

/* The statement that waits for a position of the write-ahead log (19); before there is none. */
#if PG_VERSION_NUM >= 190000
#define DP_WAITING_STATEMENT T_WaitStmt
#else
#define DP_WAITING_STATEMENT T_Invalid
#endif

static inline RangeVar *
dp_compat_ordered_table(const Node *statement)
{
#if PG_VERSION_NUM >= 190000
	const VacuumRelation *table = castNode(RepackStmt, unconstify(Node *, statement))->relation;

	return table ? table->relation : NULL;
#else
	return castNode(ClusterStmt, unconstify(Node *, statement))->relation;
#endif
}

static inline const char *
dp_compat_ordering_index(const Node *statement)
{
#if PG_VERSION_NUM >= 190000
	return castNode(RepackStmt, unconstify(Node *, statement))->indexname;
#else
	return castNode(ClusterStmt, unconstify(Node *, statement))->indexname;
#endif
}

/*
 * Take a lock for the session, outside any transaction, without waiting and without an error;
 * false if somebody else has it or waits for it, or if there is no room for it.
 */
static inline bool
dp_compat_try_lock(const LOCKTAG *tag, LOCKMODE mode)
{
#if PG_VERSION_NUM >= 180000
	return LockAcquireExtended(tag, mode, true, true, false, NULL, false) != LOCKACQUIRE_NOT_AVAIL;
#else
	return LockAcquireExtended(tag, mode, true, true, false, NULL) != LOCKACQUIRE_NOT_AVAIL;
#endif
}

#endif							/* DP_BASE_COMPAT_CATALOG_H */
