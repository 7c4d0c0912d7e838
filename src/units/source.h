/* SPDX-License-Identifier: PostgreSQL */
/*
 * source.h
 *	  The rows of the child plan, or of a star, read as cheaply as it allows.
 *
 * Two short cuts, both for scans of a table in place (path.c).  A tuple without
 * NULL is not taken apart: its wanted columns are looked up in it, those before
 * the first of variable length at offsets known beforehand.  And where a
 * sequential scan has no condition and nothing to compute, tuples are asked of
 * the table, not of the node; likewise of each table that the child reads one after
 * another, such as partitions and children, whose columns may lie elsewhere.
 */
#ifndef DP_UNITS_SOURCE_H
#define DP_UNITS_SOURCE_H

#include "postgres.h"

#include "access/heapam.h"
#include "nodes/execnodes.h"
#include "pgstat.h"
#include "storage/bufmgr.h"

#include "base/compat_varlena.h"

/* A column that is wanted. */
typedef struct DpSourceColumn
{
	int			number;			/* in the rows, from 0 */
	int16		length;			/* as in pg_attribute */
	bool		by_value;
} DpSourceColumn;

/* A column on the way from the first of variable length to the last wanted. */
typedef struct DpSourceStep
{
	int			number;
	int16		length;			/* as in pg_attribute */
	uint8		padding;		/* at most so many bytes, one less than a power of two */
} DpSourceStep;

/* Where in rows the wanted columns are. */
typedef struct DpSourceLayout
{
	TupleDesc	desc;			/* of the rows */
	DpSourceColumn *column;		/* in the order wanted */
	int			width;			/* columns of the rows up to the last of them */
	uint32	   *offset;			/* of these in a tuple without NULL */
	DpSourceStep *step;			/* where they differ from tuple to tuple */
	DpSourceStep *last;			/* of these, or NULL if there is none */
	uint32		first_offset;	/* behind which the first of them is */
} DpSourceLayout;

typedef struct DpSource
{
	PlanState  *child;
	struct DpStar *star;		/* whose rows these are instead (star.h), or NULL */
	DpSourceLayout layout;		/* of the current row */
	DpSourceLayout own;			/* of the child's rows */
	DpSourceLayout part;		/* of those of the part that is read, where the child reads one
								 * table after another */
	List	   *columns;		/* numbers in the child's rows, from 0, of the wanted ones */
	const char *data;			/* of the current tuple, or NULL: see the slot */
	TupleTableSlot *slot;
	TableScanDesc scan;			/* the reader's, where nothing stands between; or NULL */
	PlanState  *reader;			/* the child, or its current part */
} DpSource;

/*
 * How far ahead a page is fetched, in bytes: a few rows.  Rows lie from a page's
 * end to its beginning in the order they are read.
 */
#define DP_SOURCE_AHEAD 512

/* Bytes of values that a batch of rows may hold before it ends early. */
#define DP_SOURCE_HELD (1024 * 1024)

/* A source of these columns, in the current memory context. */
extern DpSource *dp_units_source_start(PlanState *child, List *columns);

/* Read the next row from the child; false at the end. */
extern bool dp_units_source_ask(DpSource *source);

/* Go on behind the last tuple of a scan; false at the end. */
extern bool dp_units_source_go_on(DpSource *source);

/* Take a tuple of the scan apart, which is not as simple as expected. */
extern void dp_units_source_deform(DpSource *source, HeapTuple tuple);

/* Go from the first column of variable length to the last one wanted. */
static pg_attribute_always_inline void
dp_units_source_walk(DpSource *source, const char *data)
{
	uint32		offset = source->layout.first_offset;

	for (const DpSourceStep *step = source->layout.step;; step++)
	{
		/* Without padding, a value of variable length begins at once. */
		if (step->length > 0 || !VARATT_NOT_PAD_BYTE(data + offset))
			offset = (offset + step->padding) & ~(uint32) step->padding;
		source->layout.offset[step->number] = offset;
		if (step == source->layout.last)
			break;
		offset = att_addlength_pointer(offset, step->length, data + offset);
	}
}

/* Find the columns in a tuple; false if it is not as simple as expected. */
static pg_attribute_always_inline bool
dp_units_source_look(DpSource *source, const HeapTupleHeaderData *header)
{
	const char *data = (const char *) header + header->t_hoff;

	__builtin_prefetch((const char *) header - DP_SOURCE_AHEAD);
	if (unlikely((header->t_infomask & HEAP_HASNULL) ||
				 HeapTupleHeaderGetNatts(header) < source->layout.width))
		return false;
	if (source->layout.last != NULL)
		dp_units_source_walk(source, data);
	source->data = data;
	return true;
}

/*
 * The next of the tuples that the scan has found on its page, all of which the snapshot
 * sees; NULL if there is none left, or the scan does not look at pages as a whole.
 */
static pg_attribute_always_inline HeapTuple
dp_units_source_on_page(HeapScanDesc scan)
{
	HeapTuple	tuple = &scan->rs_ctup;
	Page		page;
	ItemId		item;
	OffsetNumber offset;

	if (unlikely(!scan->rs_inited || !(scan->rs_base.rs_flags & SO_ALLOW_PAGEMODE) ||
				 scan->rs_cindex + 1 >= scan->rs_ntuples))
		return NULL;
	page = BufferGetPage(scan->rs_cbuf);
	offset = scan->rs_vistuples[++scan->rs_cindex];
	item = PageGetItemId(page, offset);
	tuple->t_data = (HeapTupleHeader) PageGetItem(page, item);
	tuple->t_len = ItemIdGetLength(item);
	ItemPointerSetOffsetNumber(&tuple->t_self, offset);
	pgstat_count_heap_getnext(scan->rs_base.rs_rd);
	return tuple;
}

/* Read the next row; false at the end. */
static pg_attribute_always_inline bool
dp_units_source_next(DpSource *source)
{
	HeapTuple	tuple;

	if (unlikely(source->scan == NULL))
		return dp_units_source_ask(source);
	tuple = dp_units_source_on_page((HeapScanDesc) source->scan);
	if (unlikely(tuple == NULL))
		tuple = heap_getnext(source->scan, ForwardScanDirection);
	if (unlikely(tuple == NULL))
		return dp_units_source_go_on(source);
	if (unlikely(!dp_units_source_look(source, tuple->t_data)))
		dp_units_source_deform(source, tuple);
	return true;
}

/* Meaning of the i-th column wanted. */
static inline Form_pg_attribute
dp_units_source_type(const DpSource *source, int i)
{
	return TupleDescAttr(source->layout.desc, source->layout.column[i].number);
}

static inline bool
dp_units_source_is_null(const DpSource *source, int i)
{
	return unlikely(source->data == NULL) && source->slot->tts_isnull[source->layout.column[i].number];
}

/* A value of the current row that is not NULL; it holds until the next is read. */
static inline Datum
dp_units_source_value(const DpSource *source, int i)
{
	const DpSourceColumn *column = &source->layout.column[i];
	const char *at;

	if (unlikely(source->data == NULL))
		return source->slot->tts_values[column->number];
	at = source->data + source->layout.offset[column->number];
	if (!column->by_value)
		return PointerGetDatum(at);
	if (column->length == sizeof(int32))
		return Int32GetDatum(*(const int32 *) at);
	return fetch_att(at, true, column->length);
}

#endif							/* DP_UNITS_SOURCE_H */
