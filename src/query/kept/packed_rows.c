/*
 * packed_rows.c
 *	  Released rows as bytes.
 *
 * Values stand in the binary formats of their types, which enums have by label.  Text in
 * them is in the encoding of the database that packed them.  So they can be dumped, and read
 * by another server.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "budget/kept.h"
#include "query/kept/packed_rows.h"

/* The format's number, in front of all. */
#define FORMAT 1

/* How a column is written or read. */
typedef struct Column
{
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
		bytea	   *value;

		if (slot->tts_isnull[i])
		{
			pq_sendint32(packed, -1);
			continue;
		}
		value = SendFunctionCall(&columns[i].convert, slot->tts_values[i]);
		pq_sendint32(packed, VARSIZE_ANY_EXHDR(value));
		appendBinaryStringInfo(packed, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	}
}

static Column *
columns_to_pack(TupleDesc desc)
{
	Column	   *columns = palloc0(Max(desc->natts, 1) * sizeof(Column));

	for (int i = 0; i < desc->natts; i++)
	{
		Oid			function;
		bool		varlena;

		getTypeBinaryOutputInfo(TupleDescAttr(desc, i)->atttypid, &function, &varlena);
		fmgr_info(function, &columns[i].convert);
	}
	return columns;
}

/* Pack as many rows as may be kept; false if there are more. */
static bool
pack_all(StringInfo packed, Tuplestorestate *store, TupleTableSlot *slot, int *rows)
{
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "dp_agg packed row",
											  ALLOCSET_DEFAULT_SIZES);
	Column	   *columns = columns_to_pack(slot->tts_tupleDescriptor);
	bool		fits = true;

	for (*rows = 0; fits && tuplestore_gettupleslot(store, true, false, slot); (*rows)++)
	{
		MemoryContext old = MemoryContextSwitchTo(row);

		CHECK_FOR_INTERRUPTS();
		pack_row(packed, columns, slot);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
		fits = *rows < DP_KEPT_MOST_ROWS && packed->len <= DP_KEPT_MOST_BYTES;
	}
	MemoryContextDelete(row);
	return fits;
}

bytea *
dp_query_pack_rows(Tuplestorestate *store, TupleTableSlot *slot, int *rows)
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
		fits = pack_all(&packed, store, slot, rows);
	}
	PG_FINALLY();
	{
		(void) SetClientEncoding(before);
	}
	PG_END_TRY();
	tuplestore_rescan(store);
	if (!fits)
		return NULL;
	SET_VARSIZE(packed.data, packed.len);
	return (bytea *) packed.data;
}

static Column *
columns_to_unpack(TupleDesc desc)
{
	Column	   *columns = palloc0(Max(desc->natts, 1) * sizeof(Column));

	for (int i = 0; i < desc->natts; i++)
	{
		Oid			function;

		getTypeBinaryInputInfo(TupleDescAttr(desc, i)->atttypid, &function, &columns[i].element);
		fmgr_info(function, &columns[i].convert);
		columns[i].typmod = TupleDescAttr(desc, i)->atttypmod;
	}
	return columns;
}

/* Read a value of a column, whose bytes end where it does. */
static Datum
unpack_value(Column *column, StringInfo packed, bool *null)
{
	int32		length = pq_getmsgint(packed, 4);
	StringInfoData bytes;
	char		after;
	Datum		value;

	*null = length < 0;
	if (*null)
		return ReceiveFunctionCall(&column->convert, NULL, column->element, column->typmod);
	bytes.data = unconstify(char *, pq_getmsgbytes(packed, length));
	bytes.len = bytes.maxlen = length;
	bytes.cursor = 0;

	/* Text is read to its end, which needs a zero: as in exec_bind_message. */
	after = bytes.data[length];
	bytes.data[length] = '\0';
	value = ReceiveFunctionCall(&column->convert, &bytes, column->element, column->typmod);
	bytes.data[length] = after;
	return value;
}

static void
unpack_all(StringInfo packed, TupleDesc desc, Tuplestorestate *store)
{
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "dp_agg unpacked row",
											  ALLOCSET_DEFAULT_SIZES);
	Column	   *columns = columns_to_unpack(desc);
	Datum	   *values = palloc(Max(desc->natts, 1) * sizeof(Datum));
	bool	   *nulls = palloc(Max(desc->natts, 1) * sizeof(bool));

	while (packed->cursor < packed->len)
	{
		MemoryContext old = MemoryContextSwitchTo(row);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < desc->natts; i++)
			values[i] = unpack_value(&columns[i], packed, &nulls[i]);
		tuplestore_putvalues(store, desc, values, nulls);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
	}
	MemoryContextDelete(row);
}

void
dp_query_unpack_rows(bytea *packed, TupleDesc desc, Tuplestorestate *store)
{
	StringInfoData bytes;
	int			encoding;
	int			before;

	initStringInfo(&bytes);
	appendBinaryStringInfo(&bytes, VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed));
	if (pq_getmsgint(&bytes, 4) != FORMAT)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("a kept answer is in a format that is not known")));
	encoding = pq_getmsgint(&bytes, 4);
	before = use_encoding(encoding);
	PG_TRY();
	{
		unpack_all(&bytes, desc, store);
	}
	PG_FINALLY();
	{
		(void) SetClientEncoding(before);
	}
	PG_END_TRY();
}
