/* SPDX-License-Identifier: PostgreSQL */
/*
 * source.c
 *	  Reading rows from the child plan.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/executor.h"

#include "units/source.h"
#include "units/star.h"

/* Describe the way to the last column. */
static void
plan_steps(DpSource *source, TupleDesc desc)
{
	uint32		offset = 0;
	int			steps = 0;

	source->offset = palloc0(source->width * sizeof(uint32));
	source->step = palloc0(source->width * sizeof(DpSourceStep));
	for (int i = 0; i < source->width; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (attribute->attlen < 0 || steps > 0)
			source->step[steps++] = (DpSourceStep)
			{
				i, attribute->attlen, att_align_nominal(1, attribute->attalign) - 1
			};
		else
		{
			offset = att_align_nominal(offset, attribute->attalign);
			source->offset[i] = offset;
			offset += attribute->attlen;
			source->first_offset = offset;
		}
	}
	if (steps > 0)
		source->last = &source->step[steps - 1];
}

DpSource *
dp_units_source_start(PlanState *child, List *columns)
{
	DpSource   *source = palloc0(sizeof(DpSource));
	TupleDesc	desc = ExecGetResultType(child);

	source->child = child;
	source->desc = desc;
	source->column = palloc(list_length(columns) * sizeof(DpSourceColumn));
	for (int i = 0; i < list_length(columns); i++)
	{
		int			number = list_nth_int(columns, i);
		Form_pg_attribute attribute = TupleDescAttr(desc, number);

		source->column[i] =
			(DpSourceColumn) {number, attribute->attlen, attribute->attbyval};
		source->width = Max(source->width, number + 1);
	}
	plan_steps(source, desc);
	return source;
}

/* Can the child's rows be asked of its table from now on? */
static bool
is_plain_scan(const PlanState *child)
{
	TableScanDesc scan;

	if (!IsA(child, SeqScanState) || child->qual != NULL || child->ps_ProjInfo != NULL ||
		child->instrument != NULL || child->state->es_epq_active != NULL)
		return false;
	scan = ((ScanState *) child)->ss_currentScanDesc;
	return scan->rs_rd->rd_tableam == GetHeapamTableAmRoutine();
}

/* Take the row in the slot apart. */
static void
deform(DpSource *source, TupleTableSlot *slot)
{
	slot_getsomeattrs(slot, source->width);
	source->slot = slot;
	source->data = NULL;
}

void
dp_units_source_deform(DpSource *source, HeapTuple tuple)
{
	TupleTableSlot *slot = ((ScanState *) source->child)->ss_ScanTupleSlot;

	ExecStoreBufferHeapTuple(tuple, slot, ((HeapScanDesc) source->scan)->rs_cbuf);
	deform(source, slot);
}

bool
dp_units_source_ask(DpSource *source)
{
	TupleTableSlot *slot;
	HeapTuple	tuple;
	MemoryContext old;

	if (source->star)
		return dp_units_star_next(source);
	old = MemoryContextSwitchTo(source->child->state->es_query_cxt);
	slot = ExecProcNode(source->child);
	MemoryContextSwitchTo(old);
	if (TupIsNull(slot))
		return false;
	if (is_plain_scan(source->child))
		source->scan = ((ScanState *) source->child)->ss_currentScanDesc;
	tuple = TTS_IS_BUFFERTUPLE(slot) ? ((BufferHeapTupleTableSlot *) slot)->base.tuple : NULL;
	if (tuple == NULL || !dp_units_source_look(source, tuple->t_data))
		deform(source, slot);
	return true;
}
