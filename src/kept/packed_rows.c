/* SPDX-License-Identifier: PostgreSQL */
/*
 * packed_rows.c
 *	  Released rows as bytes.
 *
 * Values stand in the binary formats of their types, which enums have by label.  Text in
 * them is in the encoding of the database that packed them.  So they can be dumped, and read
 * by another server.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "base/compat_varlena.h"
#include "budget/kept/kept.h"
#include "kept/packed_rows.h"

/* The format's number, in front of all. */
#define FORMAT 1

/* How a column is written or read. */
typedef struct Column
{
	int			number;			/* in rows, from 0 */
	Oid			type;
	FmgrInfo	convert;
	Oid			element;		/* what reading also needs */
	int32		typmod;
} Column;

/* Have text be converted from or to this encoding; returns the one before. */
static int
use_encoding(int encoding)
{
	int			before = pg_get_client_encoding();

	if (PrepareClientEncoding(encoding) < 0 || SetClientEncoding(encoding) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a kept answer is in an encoding that cannot be converted to the database's")));
	return before;
}

/* Write a row.  The values stay where they are. */
static void
pack_row(StringInfo packed, Column *columns, TupleTableSlot *slot)
{
	slot_getallattrs(slot);
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		int			number = columns[i].number;
		bytea	   *value;

		if (slot->tts_isnull[number])
		{
			pq_sendint32(packed, -1);
			continue;
		}
		value = SendFunctionCall(&columns[i].convert, slot->tts_values[number]);
		pq_sendint32(packed, VARSIZE_ANY_EXHDR(value));
		appendBinaryStringInfo(packed, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	}
}

static Column *
columns_to_pack(TupleDesc desc, const List *order)
{
	Column	   *columns = palloc0(Max(desc->natts, 1) * sizeof(Column));

	for (int i = 0; i < desc->natts; i++)
	{
		Oid			function;
		bool		varlena;

		columns[i].number = list_nth_int(order, i);
		getTypeBinaryOutputInfo(TupleDescAttr(desc, columns[i].number)->atttypid, &function, &varlena);
		fmgr_info(function, &columns[i].convert);
	}
	return columns;
}

/*
 * Pack as many rows as may be kept; false if there are more.  The slot is left empty: what
 * it held of rows from a file is in the current memory context.
 */
static bool
pack_all(StringInfo packed, Tuplestorestate *store, TupleTableSlot *slot, const List *order, int *rows)
{
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "dp_agg packed row",
											  ALLOCSET_DEFAULT_SIZES);
	Column	   *columns = columns_to_pack(slot->tts_tupleDescriptor, order);
	bool		fits = tuplestore_tuple_count(store) <= DP_KEPT_MOST_ROWS;

	for (*rows = 0; fits && tuplestore_gettupleslot(store, true, false, slot); (*rows)++)
	{
		MemoryContext old = MemoryContextSwitchTo(row);

		CHECK_FOR_INTERRUPTS();
		pack_row(packed, columns, slot);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
		fits = packed->len <= DP_KEPT_MOST_BYTES;
	}
	ExecClearTuple(slot);
	MemoryContextDelete(row);
	return fits;
}

bytea *
dp_kept_pack_rows(Tuplestorestate *store, TupleTableSlot *slot, const List *order, int *rows)
{
	StringInfoData packed;
	volatile bool fits = false;
	int			before = use_encoding(GetDatabaseEncoding());

	initStringInfo(&packed);
	packed.len = VARHDRSZ;
	pq_sendint32(&packed, FORMAT);
	pq_sendint32(&packed, GetDatabaseEncoding());
	PG_TRY();
	{
		fits = pack_all(&packed, store, slot, order, rows);
	}
	PG_FINALLY();
	{
		(void) SetClientEncoding(before);
	}
	PG_END_TRY();
	tuplestore_rescan(store);
	if (!fits)
	{
		pfree(packed.data);
		return NULL;
	}
	SET_VARSIZE(packed.data, packed.len);
	return (bytea *) packed.data;
}

struct DpPackedRows
{
	StringInfoData bytes;		/* where they were packed: not its own, nor zero at their end */
	int			encoding;		/* of text in them */
	int			natts;
	Column	   *columns;
	MemoryContext row;			/* for the values of one */
};

static Column *
columns_to_unpack(TupleDesc desc, const List *order)
{
	Column	   *columns = palloc0(Max(desc->natts, 1) * sizeof(Column));

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, list_nth_int(order, i));
		Oid			function;

		columns[i].number = list_nth_int(order, i);
		columns[i].type = attribute->atttypid;
		columns[i].typmod = attribute->atttypmod;
		getTypeBinaryInputInfo(columns[i].type, &function, &columns[i].element);
		fmgr_info(function, &columns[i].convert);
	}
	return columns;
}

DpPackedRows *
dp_kept_open_packed(bytea *packed, TupleDesc desc, const List *order)
{
	DpPackedRows *rows = palloc0(sizeof(DpPackedRows));

	rows->bytes.data = VARDATA_ANY(packed);
	rows->bytes.len = rows->bytes.maxlen = VARSIZE_ANY_EXHDR(packed);
	if (pq_getmsgint(&rows->bytes, 4) != FORMAT)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("a kept answer is in a format that is not known")));
	rows->encoding = pq_getmsgint(&rows->bytes, 4);
	rows->natts = desc->natts;
	rows->columns = columns_to_unpack(desc, order);
	rows->row = AllocSetContextCreate(CurrentMemoryContext, "dp_agg kept row", ALLOCSET_SMALL_SIZES);
	return rows;
}

void
dp_kept_rewind_packed(DpPackedRows *rows)
{
	rows->bytes.cursor = 2 * sizeof(int32);
}

/* A varlena of these bytes. */
static Datum
make_varlena(const char *bytes, int length)
{
	struct varlena *value = palloc(VARHDRSZ + length);

	SET_VARSIZE(value, VARHDRSZ + length);
	memcpy(VARDATA(value), bytes, length);
	return PointerGetDatum(value);
}

/* Read a value of so many bytes by its type's function, which may read to a zero behind them. */
static Datum
receive(Column *column, char *from, int length)
{
	StringInfoData bytes = {.data = from, .len = length, .maxlen = length};
	char		after = from[length];
	Datum		value;

	from[length] = '\0';
	value = ReceiveFunctionCall(&column->convert, &bytes, column->element, column->typmod);
	from[length] = after;
	return value;
}

/* The same of the last one, behind which there is no room: from a copy. */
static Datum
receive_last(Column *column, const char *from, int length)
{
	char	   *copy = palloc(length + 1);

	memcpy(copy, from, length);
	return receive(column, copy, length);
}

/* Read a value of a column. */
static Datum
unpack_value(Column *column, StringInfo packed, bool *null)
{
	int32		length = pq_getmsgint(packed, 4);
	char	   *from;

	*null = length < 0;
	if (*null)
		return (Datum) 0;
	from = unconstify(char *, pq_getmsgbytes(packed, length));
	if (column->type == INT8OID && length == sizeof(int64))
	{
		uint64		number;

		memcpy(&number, from, sizeof(number));
		return Int64GetDatum((int64) pg_ntoh64(number));
	}
	if (column->type == BYTEAOID)
		return make_varlena(from, length);
	if (packed->cursor == packed->len)
		return receive_last(column, from, length);
	return receive(column, from, length);
}

static void
unpack_row(DpPackedRows *rows, Datum *values, bool *nulls)
{
	for (int i = 0; i < rows->natts; i++)
	{
		int			number = rows->columns[i].number;

		values[number] = unpack_value(&rows->columns[i], &rows->bytes, &nulls[number]);
	}
}

/* The same where text is not in the encoding that the client has now. */
static void
unpack_converting(DpPackedRows *rows, Datum *values, bool *nulls)
{
	int			before = use_encoding(rows->encoding);

	PG_TRY();
	{
		unpack_row(rows, values, nulls);
	}
	PG_FINALLY();
	{
		(void) SetClientEncoding(before);
	}
	PG_END_TRY();
}

bool
dp_kept_next_packed(DpPackedRows *rows, Datum *values, bool *nulls)
{
	MemoryContext old;

	if (rows->bytes.cursor >= rows->bytes.len)
		return false;
	MemoryContextReset(rows->row);
	old = MemoryContextSwitchTo(rows->row);
	if (rows->encoding == pg_get_client_encoding())
		unpack_row(rows, values, nulls);
	else
		unpack_converting(rows, values, nulls);
	MemoryContextSwitchTo(old);
	return true;
}
