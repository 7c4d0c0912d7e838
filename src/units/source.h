/* SPDX-License-Identifier: PostgreSQL */
/*
 * source.h
 *	  The rows of the child plan, or of a star, read as cheaply as it allows.
 *
 * Two short cuts, both for scans of a table in place (path.c).  A tuple without
 * NULL is not taken apart: its wanted columns are looked up in it, those before
 * the first of variable length at offsets known beforehand.  And where a
 * sequential scan has no condition and nothing to compute, tuples are asked of
 * the table, not of the node.
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

typedef struct DpSource
{
	PlanState  *child;
	struct DpStar *star;		/* whose rows these are instead (star.h), or NULL */
	TupleDesc	desc;			/* of the rows */
	DpSourceColumn *column;		/* in the order wanted */
	int			width;			/* columns of the child up to the last of them */
	uint32	   *offset;			/* of these in a tuple without NULL */
	DpSourceStep *step;			/* where they differ from tuple to tuple */
	DpSourceStep *last;			/* of these, or NULL if there is none */
	uint32		first_offset;	/* behind which the first of them is */
	const char *data;			/* of the current tuple, or NULL: see the slot */
	TupleTableSlot *slot;
	TableScanDesc scan;			/* the child's, where nothing stands between; or NULL */
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

/* Take a tuple of the scan apart, which is not as simple as expected. */
extern void dp_units_source_deform(DpSource *source, HeapTuple tuple);

/* Go from the first column of variable length to the last one wanted. */
static pg_attribute_always_inline void
dp_units_source_walk(DpSource *source, const char *data)
{
	uint32		offset = source->first_offset;

	for (const DpSourceStep *step = source->step;; step++)
	{
		/* Without padding, a value of variable length begins at once. */
		if (step->length > 0 || !VARATT_NOT_PAD_BYTE(data + offset))
			offset = (offset + step->padding) & ~(uint32) step->padding;
		source->offset[step->number] = offset;
		if (step == source->last)
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
				 HeapTupleHeaderGetNatts(header) < source->width))
		return false;
	if (source->last != NULL)
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
		return false;
	if (unlikely(!dp_units_source_look(source, tuple->t_data)))
		dp_units_source_deform(source, tuple);
	return true;
}

/* Meaning of the i-th column wanted. */
static inline Form_pg_attribute
dp_units_source_type(const DpSource *source, int i)
{
	return TupleDescAttr(source->desc, source->column[i].number);
}

static inline bool
dp_units_source_is_null(const DpSource *source, int i)
{
	return unlikely(source->data == NULL) && source->slot->tts_isnull[source->column[i].number];
}

/* A value of the current row that is not NULL; it holds until the next is read. */
static inline Datum
dp_units_source_value(const DpSource *source, int i)
{
	const DpSourceColumn *column = &source->column[i];
	const char *at;

	if (unlikely(source->data == NULL))
		return source->slot->tts_values[column->number];
	at = source->data + source->offset[column->number];
	if (!column->by_value)
		return PointerGetDatum(at);
	if (column->length == sizeof(int32))
		return Int32GetDatum(*(const int32 *) at);
	return fetch_att(at, true, column->length);
}

#endif							/* DP_UNITS_SOURCE_H */
