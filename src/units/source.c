/* SPDX-License-Identifier: PostgreSQL */
/*
 * source.c
 *	  Reading rows from the child plan.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "base/compat_varlena.h"
#include "units/source.h"
#include "units/star.h"

/* Rows of a batch that are asked of the child one by one. */
#define SLOTS 64

/* Describe the way to the last column wanted, and where each column before it is. */
static void
plan_steps(const DpSource *source, DpSourceLayout *layout, TupleDesc desc, const List *columns, DpSourcePlace *place)
{
	for (int i = 0; i < layout->width; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (attribute->attlen < 0 || layout->steps > 0)
		{
			if (list_member_int(columns, i))
				place[i].at = palloc(DP_SOURCE_ROWS * sizeof(char *));
			layout->step[layout->steps++] = (DpSourceStep)
			{
				attribute->attlen, att_align_nominal(1, attribute->attalign) - 1, place[i].at
			};
			continue;
		}
		place[i].offset = att_align_nominal(layout->first_offset, attribute->attalign);
		place[i].at = source->data;
		layout->first_offset = place[i].offset + attribute->attlen;
	}
}

/* The layout of rows of which the columns with these numbers are wanted, in the current memory context. */
static DpSourceLayout
make_layout(const DpSource *source, TupleDesc desc, const List *columns)
{
	DpSourceLayout layout = {0};
	DpSourcePlace *place;
	ListCell   *lc;

	foreach(lc, columns)
		layout.width = Max(layout.width, lfirst_int(lc) + 1);
	layout.step = palloc0((layout.width + 1) * sizeof(DpSourceStep));
	place = palloc0((layout.width + 1) * sizeof(DpSourcePlace));
	plan_steps(source, &layout, desc, columns, place);
	layout.place = palloc((source->ncolumns + 1) * sizeof(DpSourcePlace));
	foreach(lc, columns)
	{
		layout.place[foreach_current_index(lc)] = place[lfirst_int(lc)];
		layout.place[foreach_current_index(lc)].number = lfirst_int(lc);
	}
	return layout;
}

void
dp_units_source_want(DpSource *source, int columns)
{
	source->ncolumns = columns;
	source->column = palloc0((columns + 1) * sizeof(DpSourceColumn));
	for (int i = 0; i < columns; i++)
	{
		source->column[i].value = palloc(DP_SOURCE_ROWS * sizeof(Datum));
		source->column[i].isnull = palloc(DP_SOURCE_ROWS * sizeof(bool));
	}
}

DpSource *
dp_units_source_start(PlanState *child, List *columns)
{
	DpSource   *source = palloc0(sizeof(DpSource));

	source->child = child;
	source->columns = columns;
	source->data = palloc(DP_SOURCE_ROWS * sizeof(char *));
	source->held = AllocSetContextCreate(CurrentMemoryContext, "dp_agg values of rows", ALLOCSET_DEFAULT_SIZES);
	source->part_context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg layout of rows", ALLOCSET_SMALL_SIZES);
	dp_units_source_want(source, list_length(columns));
	for (int i = 0; i < source->ncolumns; i++)
		source->column[i].type = TupleDescAttr(ExecGetResultType(child), list_nth_int(columns, i));
	source->own = make_layout(source, ExecGetResultType(child), columns);
	source->layout = &source->own;
	return source;
}

/* Can the rows of a scan be asked of its table from now on, page by page, but for its condition and what it returns? */
static bool
is_bare_scan(const PlanState *node)
{
	return IsA(node, SeqScanState) && node->instrument == NULL && node->state->es_epq_active == NULL &&
		dp_compat_has_pages(((const ScanState *) node)->ss_currentScanDesc);
}

/* The child that reads its parts one after another, or NULL: with those of other servers it may read several at once. */
static AppendState *
parts_of(const DpSource *source)
{
	AppendState *append = (AppendState *) source->child;

	return IsA(append, AppendState) && append->as_nasyncplans == 0 && append->ps.instrument == NULL ? append : NULL;
}

/* The numbers that the wanted columns have in the table that a part scans, if it returns these as they are there. */
static bool
find_in_table(const DpSource *source, const Scan *part, List **columns)
{
	ListCell   *lc;

	*columns = NIL;
	foreach(lc, source->columns)
	{
		Var		   *var = (Var *) list_nth_node(TargetEntry, part->plan.targetlist, lfirst_int(lc))->expr;

		if (!IsA(var, Var) || var->varno != part->scanrelid || var->varattno <= 0)
			return false;
		*columns = lappend_int(*columns, var->varattno - 1);
	}
	return true;
}

/* The child has returned a row, of this part: read it from its table from there on, if that can be. */
static void
read_part(DpSource *source, PlanState *part)
{
	List	   *columns;
	MemoryContext old;

	if (part == source->asked)
		return;
	source->asked = part;
	if (!is_bare_scan(part) || !find_in_table(source, (const Scan *) part->plan, &columns))
		return;
	MemoryContextReset(source->part_context);
	old = MemoryContextSwitchTo(source->part_context);
	source->part = make_layout(source, RelationGetDescr(((ScanState *) part)->ss_currentRelation), columns);
	MemoryContextSwitchTo(old);
	source->layout = &source->part;
	source->reader = part;
	source->page.scan = (HeapScanDesc) ((ScanState *) part)->ss_currentScanDesc;
}

/* Go from the first column of variable length to the last one wanted, in so many rows from the first. */
static void
walk(const DpSource *source, int first, int rows)
{
	const DpSourceStep *last = source->layout->step + source->layout->steps - 1;

	for (int row = first; row < first + rows; row++)
	{
		const char *data = source->data[row];
		uint32		offset = source->layout->first_offset;

		for (const DpSourceStep *step = source->layout->step;; step++)
		{
			/* Without padding, a value of variable length begins at once. */
			if (step->length > 0 || !VARATT_NOT_PAD_BYTE(data + offset))
				offset = (offset + step->padding) & ~(uint32) step->padding;
			if (step->at)
				step->at[row] = data + offset;
			if (step == last)
				break;
			offset = att_addlength_pointer(offset, step->length, data + offset);
		}
	}
}

/* Take values of a type passed by value, or not, and of this length. */
static pg_attribute_always_inline void
fetch(Datum *value, const char *const *at, uint32 offset, int rows, bool by_value, int length)
{
	for (int row = 0; row < rows; row++)
		value[row] = fetch_att(at[row] + offset, by_value, length);
}

/* Look up the wanted columns of so many rows from the first, which are as simple as expected. */
static void
look_up(DpSource *source, int first, int rows)
{
	if (source->layout->steps > 0)
		walk(source, first, rows);
	for (int i = 0; i < source->ncolumns; i++)
	{
		const DpSourcePlace *place = &source->layout->place[i];
		Form_pg_attribute type = source->column[i].type;
		Datum	   *value = source->column[i].value + first;
		const char *const *at = place->at + first;

		if (!type->attbyval)
			fetch(value, at, place->offset, rows, false, -1);
		else if (type->attlen == sizeof(int32))
			fetch(value, at, place->offset, rows, true, sizeof(int32));
		else if (type->attlen == sizeof(int64))
			fetch(value, at, place->offset, rows, true, sizeof(int64));
		else
			fetch(value, at, place->offset, rows, true, type->attlen);
	}
}

/* Is one of a tuple's columns NULL up to the last wanted? */
static bool
has_null(const HeapTupleHeaderData *header, int width)
{
	for (int i = 0; i < width / BITS_PER_BYTE; i++)
		if (header->t_bits[i] != 0xFF)
			return true;
	for (int i = width - width % BITS_PER_BYTE; i < width; i++)
		if (att_isnull(i, header->t_bits))
			return true;
	return false;
}

/* Are a tuple's columns where the layout says? */
static inline bool
is_simple(const DpSource *source, const HeapTupleHeaderData *header)
{
	int			width = source->layout->width;

	return HeapTupleHeaderGetNatts(header) >= width &&
		(likely(!(header->t_infomask & HEAP_HASNULL)) || !has_null(header, width));
}

/* Put the slot's row behind the batch's; what has_null does not say, isnull must tell by now. */
static void
put_slot(DpSource *source, TupleTableSlot *slot)
{
	int			row = source->rows++;

	slot_getsomeattrs(slot, source->layout->width);
	for (int i = 0; i < source->ncolumns; i++)
	{
		DpSourceColumn *column = &source->column[i];
		int			number = source->layout->place[i].number;

		column->isnull[row] = slot->tts_isnull[number];
		column->has_null |= slot->tts_isnull[number];
		column->value[row] = slot->tts_values[number];
	}
}

/* Does a tuple meet the scan's condition?  As PostgreSQL's node has it. */
static bool
is_met(ScanState *node, HeapTuple tuple, Buffer buffer)
{
	ExprContext *econtext = node->ps.ps_ExprContext;

	CHECK_FOR_INTERRUPTS();
	ResetExprContext(econtext);
	econtext->ecxt_scantuple = ExecStoreBufferHeapTuple(tuple, node->ss_ScanTupleSlot, buffer);
	return ExecQual(node->ps.qual, econtext);
}

/*
 * Find the tuples of the page that meet the scan's condition.  The simple ones become rows;
 * returns how many others there are, and which these are.
 */
static int
find_tuples(DpSource *source, int *other)
{
	ScanState  *node = (ScanState *) source->reader;
	int			others = 0;

	for (int i = 0; i < source->page.count; i++)
	{
		HeapTuple	tuple = dp_compat_tuple(&source->page, i);

		if (node->ps.qual && !is_met(node, tuple, source->page.scan->rs_cbuf))
			continue;
		if (likely(is_simple(source, tuple->t_data)))
			source->data[source->rows++] = (const char *) tuple->t_data + tuple->t_data->t_hoff;
		else
			other[others++] = i;
	}
	return others;
}

/* Read the rows that the scan returns of its next page with any; false at the end. */
static bool
read_page(DpSource *source)
{
	TupleTableSlot *slot = ((ScanState *) source->reader)->ss_ScanTupleSlot;
	int			other[DP_SOURCE_ROWS];
	int			others = 0;

	for (source->rows = 0; source->rows + others == 0;)
	{
		if (!dp_compat_next_page(&source->page))
			return false;
		others = find_tuples(source, other);
	}
	look_up(source, 0, source->rows);
	for (int i = 0; i < source->ncolumns; i++)
	{
		source->column[i].has_null = false;
		if (others > 0)
			memset(source->column[i].isnull, false, source->rows);
	}
	for (int i = 0; i < others; i++)
		put_slot(source, ExecStoreBufferHeapTuple(dp_compat_tuple(&source->page, other[i]), slot,
												  source->page.scan->rs_cbuf));
	return true;
}

/* Keep what the last row has by reference, for as long as the batch. */
static void
hold(DpSource *source)
{
	int			row = source->rows - 1;
	MemoryContext old = MemoryContextSwitchTo(source->held);

	for (int i = 0; i < source->ncolumns; i++)
	{
		DpSourceColumn *column = &source->column[i];

		if (!column->type->attbyval && !column->isnull[row])
			column->value[row] = datumCopy(column->value[row], false, column->type->attlen);
	}
	MemoryContextSwitchTo(old);
}

/* The child's next row, in the slot of what it is read from; NULL at the end. */
static TupleTableSlot *
ask(DpSource *source)
{
	MemoryContext old = MemoryContextSwitchTo(source->child->state->es_query_cxt);
	TupleTableSlot *slot = ExecProcNode(source->child);
	AppendState *append = parts_of(source);

	source->done = TupIsNull(slot);
	if (!source->done)
		read_part(source, append ? append->appendplans[append->as_whichplan] : source->child);
	MemoryContextSwitchTo(old);
	if (source->done)
		return NULL;
	return source->page.scan ? ((ScanState *) source->reader)->ss_ScanTupleSlot : slot;
}

/* Put the row in the slot behind the batch's rows. */
static void
put_row(DpSource *source, TupleTableSlot *slot)
{
	const HeapTupleData *tuple = TTS_IS_BUFFERTUPLE(slot) ? ((BufferHeapTupleTableSlot *) slot)->base.tuple : NULL;

	if (tuple == NULL || !is_simple(source, tuple->t_data))
		put_slot(source, slot);
	else
	{
		source->data[source->rows] = (const char *) tuple->t_data + tuple->t_data->t_hoff;
		look_up(source, source->rows, 1);
		for (int i = 0; i < source->ncolumns; i++)
			source->column[i].isnull[source->rows] = false;
		source->rows++;
	}
	hold(source);
}

/* Read some rows that the child returns, until there is a short cut; false at the end. */
static bool
read_slots(DpSource *source)
{
	source->rows = 0;
	MemoryContextReset(source->held);
	for (int i = 0; i < source->ncolumns; i++)
		source->column[i].has_null = false;
	while (source->rows < SLOTS && source->page.scan == NULL && !source->done && source->held->mem_allocated <= DP_SOURCE_HELD)
	{
		TupleTableSlot *slot = ask(source);

		if (slot)
			put_row(source, slot);
	}
	return source->rows > 0;
}

/*
 * A scan that is at its end would begin again if it were asked once more.  So the child is told to go on to its next
 * part, as it does itself.
 */
static void
go_on(DpSource *source)
{
	AppendState *append = parts_of(source);
	MemoryContext old;

	source->page.scan = NULL;
	source->layout = &source->own;
	source->done = true;
	if (append == NULL)
		return;
	old = MemoryContextSwitchTo(source->child->state->es_query_cxt);
	source->done = !append->choose_next_subplan(append);
	MemoryContextSwitchTo(old);
}

bool
dp_units_source_read(DpSource *source)
{
	if (source->star)
		return dp_units_star_read(source);
	if (source->page.scan)
	{
		if (read_page(source))
			return true;
		go_on(source);
	}
	return read_slots(source);
}
