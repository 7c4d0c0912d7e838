/*
 * source.c
 *	  Reading rows from the child plan.
 *
 * Two short cuts, both for scans of a table in place (path.c).  Columns are taken
 * from a tuple without NULL straight, those before the first of variable
 * length at offsets known beforehand.  And where a sequential scan has no
 * condition and nothing to compute, rows are asked of the table, not of the node.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tableam.h"
#include "access/tupmacs.h"
#include "executor/executor.h"

#include "compat.h"
#include "units/source.h"

/*
 * How far ahead a page is fetched, in bytes: a few rows.  Rows lie from a page's
 * end to its beginning in the order they are read.
 */
#define AHEAD 512

/* Note what is wanted twice: a key can be a value as well. */
static void
plan_copies(DpSource *source)
{
	source->copy = palloc(source->ncolumns * sizeof(DpSourceCopy));
	for (int to = 1; to < source->ncolumns; to++)
	{
		int			from = 0;

		while (source->at[from] != source->at[to])
			from++;
		if (from < to)
			source->copy[source->ncopies++] = (DpSourceCopy) {from, to};
	}
}

/* Describe the way to the last column. */
static void
plan_steps(DpSource *source, TupleDesc desc)
{
	int			offset = 0;
	int			n = 0;

	source->step = palloc0(source->width * sizeof(DpSourceStep));
	for (int i = 0; i < source->width; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);
		DpSourceStep *step = &source->step[n];

		step->length = attribute->attlen;
		step->align = attribute->attalign;
		step->by_value = attribute->attbyval;
		step->wanted = -1;
		for (int j = source->ncolumns - 1; j >= 0; j--)
			if (source->at[j] == i)
				step->wanted = j;
		if (attribute->attlen < 0)
			offset = -1;
		if (offset >= 0)
			offset = att_align_nominal(offset, attribute->attalign);
		step->offset = offset;
		if (offset >= 0)
			offset += attribute->attlen;

		/* The first that follows another has to know where that one is. */
		if (step->wanted >= 0 || step->offset < 0 ||
			(i + 1 < source->width && TupleDescAttr(desc, i + 1)->attlen < 0))
			n++;
	}
	source->nsteps = n;
}

DpSource *
dp_source_start(PlanState *child, List *columns)
{
	DpSource   *source = palloc0(sizeof(DpSource));

	source->child = child;
	source->ncolumns = list_length(columns);
	source->at = palloc(source->ncolumns * sizeof(int));
	source->value = palloc0(source->ncolumns * sizeof(Datum));
	source->isnull = palloc0(source->ncolumns * sizeof(bool));
	for (int i = 0; i < source->ncolumns; i++)
	{
		source->at[i] = list_nth_int(columns, i);
		source->width = Max(source->width, source->at[i] + 1);
	}
	plan_copies(source);
	plan_steps(source, ExecGetResultType(child));
	return source;
}

/* Can the child's rows be asked of its table from now on? */
static bool
is_plain_scan(const PlanState *child)
{
	return IsA(child, SeqScanState) && child->qual == NULL && child->ps_ProjInfo == NULL &&
		child->instrument == NULL && child->state->es_epq_active == NULL;
}

/* The next row as the child has it. */
static inline TupleTableSlot *
next_slot(DpSource *source)
{
	TupleTableSlot *slot;

	if (likely(source->scan != NULL))
	{
		slot = ((ScanState *) source->child)->ss_ScanTupleSlot;
		return table_scan_getnextslot(source->scan, ForwardScanDirection, slot) ? slot : NULL;
	}
	slot = ExecProcNode(source->child);
	if (!TupIsNull(slot) && is_plain_scan(source->child))
		source->scan = ((ScanState *) source->child)->ss_currentScanDesc;
	return slot;
}

static pg_attribute_always_inline Datum
fetch(const DpSourceStep *step, const char *at)
{
	if (!step->by_value)
		return PointerGetDatum(at);
	if (step->length == sizeof(int32))
		return Int32GetDatum(*(const int32 *) at);
	return fetch_att(at, true, step->length);
}

/* Take the columns from a tuple; false if it is not as simple as expected. */
static inline bool
read_in_place(DpSource *source, const HeapTupleData *tuple)
{
	const HeapTupleHeaderData *header = tuple->t_data;
	const char *data = (const char *) header + header->t_hoff;
	const DpSourceStep *step = source->step;
	const DpSourceStep *end = step + source->nsteps;
	uint32		offset = 0;

	__builtin_prefetch((const char *) header - AHEAD);
	if (unlikely((header->t_infomask & HEAP_HASNULL) ||
				 HeapTupleHeaderGetNatts(header) < source->width))
		return false;
	for (; step < end; step++)
	{
		if (step->offset >= 0)
			offset = step->offset;
		else
			offset = att_align_pointer(offset, step->align, step->length, data + offset);
		if (step->wanted >= 0)
			source->value[step->wanted] = fetch(step, data + offset);
		offset = att_addlength_pointer(offset, step->length, data + offset);
	}
	for (int i = 0; i < source->ncopies; i++)
		source->value[source->copy[i].to] = source->value[source->copy[i].from];
	if (source->nulls)
		memset(source->isnull, false, source->ncolumns * sizeof(bool));
	source->nulls = false;
	return true;
}

bool
dp_source_next(DpSource *source)
{
	TupleTableSlot *slot = next_slot(source);
	HeapTuple	tuple;

	if (TupIsNull(slot))
		return false;
	tuple = TTS_IS_BUFFERTUPLE(slot) ? ((BufferHeapTupleTableSlot *) slot)->base.tuple : NULL;
	if (tuple && read_in_place(source, tuple))
		return true;
	slot_getsomeattrs(slot, source->width);
	for (int i = 0; i < source->ncolumns; i++)
	{
		source->value[i] = slot->tts_values[source->at[i]];
		source->isnull[i] = slot->tts_isnull[source->at[i]];
	}
	source->nulls = true;
	return true;
}
