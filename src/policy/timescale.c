/* SPDX-License-Identifier: PostgreSQL */
/*
 * timescale.c
 *	  Hypertables of TimescaleDB, whose chunks are inheritance children.
 *
 * A release reads chunks as PostgreSQL reads children (policy/children.h), without the plans of TimescaleDB.  Rows of
 * compressed chunks lie in other tables, which only these plans read, and whoever asks could turn that off by a
 * setting.  So a hypertable with a compressed chunk is refused.
 *
 * TimescaleDB's catalog says what is compressed.  It has changed with versions: without the column that is looked for
 * by name, all chunks count as compressed.  A chunk that is being compressed is locked against nobody who reads, but
 * TimescaleDB invalidates a relation whenever it writes a row about a chunk, so that a statement is validated again.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "policy/partitions.h"
#include "policy/timescale.h"

#define CATALOG_SCHEMA "_timescaledb_catalog"

/* The bit of a chunk's status that says that it is compressed, at least in part. */
#define COMPRESSED 1

/* One of TimescaleDB's tables; InvalidOid if there is none, as where only the name of its schema has been taken. */
static Oid
catalog_table(const char *name)
{
	Oid			schema = get_namespace_oid(CATALOG_SCHEMA, true);
	Oid			extension = OidIsValid(schema) ? getExtensionOfObject(NamespaceRelationId, schema) : InvalidOid;
	const char *owner = OidIsValid(extension) ? get_extension_name(extension) : NULL;
	Oid			relid = owner && strcmp(owner, "timescaledb") == 0 ? get_relname_relid(name, schema) : InvalidOid;

	return get_rel_relkind(relid) == RELKIND_RELATION ? relid : InvalidOid;
}

/* Columns of the catalog of chunks; InvalidAttrNumber is one that this version does not have. */
typedef struct ChunkColumns
{
	AttrNumber	relid;			/* since 2.31 */
	AttrNumber	schema;			/* before */
	AttrNumber	name;
	AttrNumber	status;
} ChunkColumns;

/* The number of a column of this type. */
static AttrNumber
column_of(Oid catalog, const char *name, Oid type)
{
	AttrNumber	column = get_attnum(catalog, name);

	return column != InvalidAttrNumber && get_atttype(catalog, column) == type ? column : InvalidAttrNumber;
}

static ChunkColumns
chunk_columns(Oid catalog)
{
	return (ChunkColumns) {
		.relid = column_of(catalog, "relid", REGCLASSOID),
		.schema = column_of(catalog, "schema_name", NAMEOID),
		.name = column_of(catalog, "table_name", NAMEOID),
		.status = column_of(catalog, "status", INT4OID),
	};
}

/* The value of a column in a row; zero if it is NULL. */
static Datum
value_of(Relation catalog, HeapTuple row, AttrNumber column)
{
	bool		isnull;
	Datum		value = heap_getattr(row, column, RelationGetDescr(catalog), &isnull);

	return isnull ? (Datum) 0 : value;
}

/* Does a row about a chunk say that it is not compressed? */
static bool
is_plain(Relation catalog, HeapTuple row, const ChunkColumns *columns)
{
	return columns->status != InvalidAttrNumber && (DatumGetInt32(value_of(catalog, row, columns->status)) & COMPRESSED) == 0;
}

/* The chunk that a row is about; InvalidOid if there is none. */
static Oid
chunk_of(Relation catalog, HeapTuple row, const ChunkColumns *columns)
{
	Datum		schema;
	Datum		name;

	if (columns->relid != InvalidAttrNumber)
		return DatumGetObjectId(value_of(catalog, row, columns->relid));
	if (columns->schema == InvalidAttrNumber || columns->name == InvalidAttrNumber)
		return InvalidOid;
	schema = value_of(catalog, row, columns->schema);
	name = value_of(catalog, row, columns->name);
	return schema && name ? get_relname_relid(NameStr(*DatumGetName(name)), get_namespace_oid(NameStr(*DatumGetName(schema)), true))
		: InvalidOid;
}

/* The first chunk below a table that is compressed, or of which that is not known; InvalidOid if there is none. */
static Oid
compressed_chunk(Relation catalog, Oid table)
{
	ChunkColumns columns = chunk_columns(RelationGetRelid(catalog));
	SysScanDesc scan = systable_beginscan(catalog, InvalidOid, false, NULL, 0, NULL);
	Oid			found = InvalidOid;
	HeapTuple	row;

	while (!OidIsValid(found) && HeapTupleIsValid(row = systable_getnext(scan)))
	{
		Oid			chunk = is_plain(catalog, row, &columns) ? InvalidOid : chunk_of(catalog, row, &columns);

		if (OidIsValid(chunk) && dp_policy_is_part_of(table, chunk))
			found = chunk;
	}
	systable_endscan(scan);
	return found;
}

DpReason *
dp_policy_timescale_obstacle(Relation relation)
{
	Oid			relid = RelationGetRelid(relation);
	Oid			chunks = dp_policy_has_children(relid) ? catalog_table("chunk") : InvalidOid;
	Relation	catalog;
	Oid			chunk;

	if (!OidIsValid(chunks))
		return NULL;
	catalog = table_open(chunks, AccessShareLock);
	chunk = compressed_chunk(catalog, relid);
	table_close(catalog, AccessShareLock);
	if (!OidIsValid(chunk))
		return NULL;
	return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1,
							 "Decompress it: convert_to_rowstore() of TimescaleDB, decompress_chunk() of older versions. And have no policy compress chunks.",
							 "chunk \"%s\" of \"%s\" is compressed", get_rel_name(chunk), RelationGetRelationName(relation));
}
