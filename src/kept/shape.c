/* SPDX-License-Identifier: PostgreSQL */
/*
 * shape.c
 *	  The shape of a kept answer that others may be added up from, as bytes.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "accounting/shared_noise.h"
#include "base/compat_catalog.h"
#include "base/compat_varlena.h"
#include "kept/listed_cells.h"
#include "kept/packed_rows.h"
#include "kept/question.h"
#include "kept/shape.h"
#include "pricing/block.h"
#include "pricing/form_table.h"
#include "pricing/forms.h"

/* The format's number, in front of all. */
#define FORMAT 3

/* Rows of one column of a type. */
static TupleDesc
one_column(Oid type)
{
	TupleDesc	desc = CreateTemplateTupleDesc(1);

	TupleDescInitEntry(desc, 1, "value", type, -1, 0);
	return dp_compat_described(desc);
}

/* Values as packed rows of one column. */
static bytea *
pack_values(Oid type, List *values)
{
	TupleDesc	desc = one_column(type);
	Tuplestorestate *store = tuplestore_begin_heap(false, false, work_mem);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	bytea	   *packed;
	int			rows;
	ListCell   *lc;

	foreach(lc, values)
		tuplestore_putvalues(store, desc, &lfirst_node(Const, lc)->constvalue, &lfirst_node(Const, lc)->constisnull);
	packed = dp_kept_pack_rows(store, slot, list_make1_int(0), &rows);
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(store);
	return packed;
}

static void
add_digest(StringInfo text, const DpDigest *digest)
{
	appendBinaryStringInfo(text, (const char *) digest->bytes, sizeof(digest->bytes));
}

static void
add_release(StringInfo text, const DpRelease *release, const DpDigest *addend, bool count)
{
	add_digest(text, addend);
	pq_sendbyte(text, count);
	pq_sendint32(text, release->kind);
	pq_sendfloat8(text, release->epsilon);
	pq_sendfloat8(text, release->delta);
	pq_sendint64(text, release->width);
	pq_sendint32(text, release->nnoise);
	for (int i = 0; i < lengthof(release->noise); i++)
		dp_kept_spell_noise(text, &release->noise[i]);
}

static void
add_bytes(StringInfo text, bytea *bytes)
{
	pq_sendint32(text, VARSIZE_ANY_EXHDR(bytes));
	appendBinaryStringInfo(text, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}

/* Append the keys; false if their values are too many bytes.  Those that tables list have none here. */
static bool
add_keys(StringInfo text, const DpBlockCells *cells)
{
	pq_sendint32(text, cells->nkeys);
	for (int i = 0; i < cells->nkeys; i++)
	{
		const DpCellKey *key = &cells->key[i];
		bytea	   *values = pack_values(key->type, key->values);

		if (values == NULL)
			return false;
		add_digest(text, &key->digest);
		pq_sendbyte(text, key->complete);
		pq_sendint32(text, key->count);
		pq_sendint32(text, key->buckets.type);
		pq_sendint32(text, key->buckets.bins);
		pq_sendint64(text, key->buckets.lower);
		pq_sendint64(text, key->buckets.upper);
		add_digest(text, &key->column);
		add_bytes(text, values);
	}
	return true;
}

/* Is what tables list known to be what rows can have, whatever limits there are on values? */
static bool
is_whole(const DpBlockCells *cells)
{
	for (int i = 0; i < cells->nkeys; i++)
		if (cells->key[i].computed)
			return false;
	return cells->contents != NULL;
}

bytea *
dp_kept_pack_shape(const DpBlock *block, const DpBlockCells *cells, TupleDesc desc, const List *order)
{
	StringInfoData text;

	if (cells->nkeys == 0 || (block->listed ? !is_whole(cells) : block->domain == 0 || block->nkeys != 1))
		return NULL;
	initStringInfo(&text);
	text.len = VARHDRSZ;
	pq_sendint32(&text, FORMAT);
	pq_sendint32(&text, cells->bounds.row_is_unit);
	pq_sendint32(&text, cells->bounds.max_rows);
	pq_sendint32(&text, cells->bounds.max_groups);
	pq_sendint32(&text, cells->bounds.longest);
	pq_sendint32(&text, block->domain);
	pq_sendint32(&text, dp_form(block)->is_tree ? block->size : 0);
	pq_sendbyte(&text, block->listed);
	if (block->listed)
		add_bytes(&text, cells->contents);
	if (!add_keys(&text, cells))
		return NULL;
	pq_sendint32(&text, cells->nconditions);
	for (int i = 0; i < cells->nconditions; i++)
		add_digest(&text, &cells->condition[i].digest);
	pq_sendint32(&text, block->nreleases);
	for (int i = 0; i < block->nreleases; i++)
	{
		int			column = list_nth_int(order, block->nkeys + i);
		int			number = column - block->nkeys;

		add_release(&text, &block->release[number], &cells->addend[number],
					TupleDescAttr(desc, column)->atttypid == INT8OID);
	}
	SET_VARSIZE(text.data, text.len);
	return (bytea *) text.data;
}

static DpDigest
read_digest(StringInfo text)
{
	DpDigest	digest;

	memcpy(digest.bytes, pq_getmsgbytes(text, sizeof(digest.bytes)), sizeof(digest.bytes));
	return digest;
}

static DpNoise
read_noise(StringInfo text)
{
	DpNoise		noise;
	int			mechanism;

	memset(&noise, 0, sizeof(noise));
	mechanism = pq_getmsgint(text, 4);
	noise.mechanism = mechanism & ~(DP_KEPT_SHARED | DP_KEPT_ACROSS);
	noise.groups = pq_getmsgint(text, 4);
	noise.grid = pq_getmsgint(text, 4);
	noise.sensitivity = pq_getmsgint64(text);
	noise.scale_num = pq_getmsgint64(text);
	noise.scale_den = pq_getmsgint64(text);
	noise.sigma = pq_getmsgint64(text);
	if (mechanism & DP_KEPT_SHARED)
	{
		noise.direction = pq_getmsgint(text, 4);
		noise.own = pq_getmsgint64(text);
		noise.own_bits = DP_SHARED_ROW_BITS;
		noise.part = 1;
	}
	if (mechanism & DP_KEPT_ACROSS)
	{
		noise.across = true;
		noise.own_bits = pq_getmsgint(text, 4);
		noise.part = pq_getmsgint(text, 4);
		noise.others = pq_getmsgint(text, 4);
	}
	return noise;
}

static void
read_release(StringInfo text, DpShapeRelease *entry)
{
	DpRelease  *release = &entry->release;

	entry->addend = read_digest(text);
	entry->count = pq_getmsgbyte(text);
	release->kind = pq_getmsgint(text, 4);
	release->epsilon = pq_getmsgfloat8(text);
	release->delta = pq_getmsgfloat8(text);
	release->width = pq_getmsgint64(text);
	release->nnoise = pq_getmsgint(text, 4);
	for (int i = 0; i < lengthof(release->noise); i++)
		release->noise[i] = read_noise(text);
}

/* How many of something follow, each of which takes some bytes at least. */
static int
read_count(StringInfo text, int least)
{
	int			count = pq_getmsgint(text, 4);

	if (count < 0 || count > (text->len - text->cursor) / least)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("a kept answer is in a format that is not known")));
	return count;
}

static bytea *
read_bytes(StringInfo text)
{
	int			length = read_count(text, 1);
	bytea	   *bytes = palloc(VARHDRSZ + length);

	SET_VARSIZE(bytes, VARHDRSZ + length);
	memcpy(VARDATA(bytes), pq_getmsgbytes(text, length), length);
	return bytes;
}

static void
read_key(StringInfo text, DpShapeKey *key)
{
	key->digest = read_digest(text);
	key->complete = pq_getmsgbyte(text);
	key->count = pq_getmsgint(text, 4);
	key->buckets.type = pq_getmsgint(text, 4);
	key->buckets.bins = pq_getmsgint(text, 4);
	key->buckets.lower = pq_getmsgint64(text);
	key->buckets.upper = pq_getmsgint64(text);
	key->column = read_digest(text);
	key->values = read_bytes(text);
}

DpShape *
dp_kept_unpack_shape(bytea *packed)
{
	StringInfoData text;
	DpShape    *shape = palloc0(sizeof(DpShape));

	initStringInfo(&text);
	appendBinaryStringInfo(&text, VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed));
	if (pq_getmsgint(&text, 4) != FORMAT)
		return NULL;
	shape->bounds.row_is_unit = pq_getmsgint(&text, 4);
	shape->bounds.max_rows = pq_getmsgint(&text, 4);
	shape->bounds.max_groups = pq_getmsgint(&text, 4);
	shape->bounds.longest = pq_getmsgint(&text, 4);
	shape->domain = pq_getmsgint(&text, 4);
	shape->branching = pq_getmsgint(&text, 4);
	shape->listed = pq_getmsgbyte(&text);
	shape->contents = shape->listed ? read_bytes(&text) : NULL;
	shape->nkeys = read_count(&text, sizeof(DpDigest));
	shape->key = palloc0(Max(shape->nkeys, 1) * sizeof(DpShapeKey));
	for (int i = 0; i < shape->nkeys; i++)
		read_key(&text, &shape->key[i]);
	shape->nconditions = read_count(&text, sizeof(DpDigest));
	shape->condition = palloc(Max(shape->nconditions, 1) * sizeof(DpDigest));
	for (int i = 0; i < shape->nconditions; i++)
		shape->condition[i] = read_digest(&text);
	shape->nreleases = read_count(&text, sizeof(DpDigest));
	shape->release = palloc0(Max(shape->nreleases, 1) * sizeof(DpShapeRelease));
	for (int i = 0; i < shape->nreleases; i++)
		read_release(&text, &shape->release[i]);
	return shape;
}

bool
dp_kept_read_listed_cells(DpShape *shape, bytea *released)
{
	const DpListedCells *listed = dp_kept_read_listed(released, shape->nkeys + shape->nreleases, shape->nkeys);

	shape->domain = listed->groups;
	for (int i = 0; i < shape->nkeys; i++)
	{
		shape->key[i].count = list_length(listed->key[i].values);
		shape->key[i].values = pack_values(BYTEAOID, listed->key[i].values);
		shape->key[i].cell = listed->key[i].place;
		if (shape->key[i].values == NULL)
			return false;
	}
	return true;
}

List *
dp_kept_shape_values(const DpShapeKey *key, Oid type)
{
	DpPackedRows *rows = dp_kept_open_packed(key->values, one_column(type), list_make1_int(0));
	List	   *values = NIL;
	Datum		value;
	bool		null;
	int16		length;
	bool		byval;

	get_typlenbyval(type, &length, &byval);
	while (dp_kept_next_packed(rows, &value, &null))
		values = lappend(values, makeConst(type, -1, get_typcollation(type), length,
										   null ? (Datum) 0 : datumCopy(value, byval, length), null, byval));
	return values;
}

int
dp_kept_shape_rows(const DpShape *shape)
{
	int			width[DP_MAX_TREE_LEVELS];
	int			levels;
	int			rows = 0;

	if (shape->branching == 0)
		return shape->domain;
	levels = dp_pricing_tree_widths(shape->domain, shape->branching, width);
	for (int i = 0; i < levels; i++)
		rows += width[i];
	return rows;
}

int
dp_kept_shape_key_columns(const DpShape *shape)
{
	return shape->listed ? shape->nkeys : 1;
}

/* Keys that tables list are of any types, and are not looked at. */
TupleDesc
dp_kept_shape_columns(const DpShape *shape)
{
	int			keys = dp_kept_shape_key_columns(shape);
	TupleDesc	desc = CreateTemplateTupleDesc(keys + shape->nreleases);

	for (int i = 0; i < keys; i++)
		TupleDescInitEntry(desc, 1 + i, "key", shape->listed ? BYTEAOID : INT4OID, -1, 0);
	for (int i = 0; i < shape->nreleases; i++)
		TupleDescInitEntry(desc, 1 + keys + i, "total", shape->release[i].count ? INT8OID : BYTEAOID, -1, 0);
	return dp_compat_described(desc);
}
