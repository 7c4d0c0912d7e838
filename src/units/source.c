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
plan_steps(DpSourceLayout *layout)
{
	uint32		offset = 0;
	int			steps = 0;

	layout->offset = palloc0(layout->width * sizeof(uint32));
	layout->step = palloc0(layout->width * sizeof(DpSourceStep));
	for (int i = 0; i < layout->width; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(layout->desc, i);

		if (attribute->attlen < 0 || steps > 0)
			layout->step[steps++] = (DpSourceStep)
			{
				i, attribute->attlen, att_align_nominal(1, attribute->attalign) - 1
			};
		else
		{
			offset = att_align_nominal(offset, attribute->attalign);
			layout->offset[i] = offset;
			offset += attribute->attlen;
			layout->first_offset = offset;
		}
	}
	if (steps > 0)
		layout->last = &layout->step[steps - 1];
}

/* The layout of rows of which the columns with these numbers are wanted, in the current memory context. */
static DpSourceLayout
make_layout(TupleDesc desc, List *columns)
{
	DpSourceLayout layout = {.desc = desc};

	layout.column = palloc(list_length(columns) * sizeof(DpSourceColumn));
	for (int i = 0; i < list_length(columns); i++)
	{
		int			number = list_nth_int(columns, i);
		Form_pg_attribute attribute = TupleDescAttr(desc, number);

		layout.column[i] = (DpSourceColumn) {number, attribute->attlen, attribute->attbyval};
		layout.width = Max(layout.width, number + 1);
	}
	plan_steps(&layout);
	return layout;
}

static void
free_layout(DpSourceLayout *layout)
{
	if (layout->column == NULL)
		return;
	pfree(layout->column);
	pfree(layout->offset);
	pfree(layout->step);
	layout->column = NULL;
}

DpSource *
dp_units_source_start(PlanState *child, List *columns)
{
	DpSource   *source = palloc0(sizeof(DpSource));

	source->child = child;
	source->reader = child;
	source->columns = columns;
	source->own = make_layout(ExecGetResultType(child), columns);
	source->layout = source->own;
	return source;
}

/* Can the rows of a scan be asked of its table from now on, but for what it computes of them? */
static bool
is_bare_scan(const PlanState *node)
{
	TableScanDesc scan;

	if (!IsA(node, SeqScanState) || node->qual != NULL || node->instrument != NULL || node->state->es_epq_active != NULL)
		return false;
	scan = ((ScanState *) node)->ss_currentScanDesc;
	return scan->rs_rd->rd_tableam == GetHeapamTableAmRoutine();
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

/* The child has returned the first row of a part: read it from its table from there on, if that can be. */
static void
read_part(DpSource *source, PlanState *part)
{
	List	   *columns;

	if (!is_bare_scan(part) || !find_in_table(source, (const Scan *) part->plan, &columns))
		return;
	free_layout(&source->part);
	source->part = make_layout(RelationGetDescr(((ScanState *) part)->ss_currentRelation), columns);
	source->layout = source->part;
	source->reader = part;
	source->scan = ((ScanState *) part)->ss_currentScanDesc;
}

/* The child has returned a row: take the short cut from now on, if there is one. */
static void
find_short_cut(DpSource *source)
{
	AppendState *append = parts_of(source);

	if (append)
		read_part(source, append->appendplans[append->as_whichplan]);
	else if (is_bare_scan(source->child) && source->child->ps_ProjInfo == NULL)
		source->scan = ((ScanState *) source->child)->ss_currentScanDesc;
}

/* Take the row in the slot apart. */
static void
deform(DpSource *source, TupleTableSlot *slot)
{
	slot_getsomeattrs(slot, source->layout.width);
	source->slot = slot;
	source->data = NULL;
}

void
dp_units_source_deform(DpSource *source, HeapTuple tuple)
{
	TupleTableSlot *slot = ((ScanState *) source->reader)->ss_ScanTupleSlot;

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
	if (!TupIsNull(slot))
		find_short_cut(source);
	MemoryContextSwitchTo(old);
	if (TupIsNull(slot))
		return false;
	if (source->reader != source->child)
		slot = ((ScanState *) source->reader)->ss_ScanTupleSlot;
	tuple = TTS_IS_BUFFERTUPLE(slot) ? ((BufferHeapTupleTableSlot *) slot)->base.tuple : NULL;
	if (tuple == NULL || !dp_units_source_look(source, tuple->t_data))
		deform(source, slot);
	return true;
}

/*
 * A scan that is at its end would begin again if it were asked once more.  So the child is told to go on to its next
 * part, as it does itself.
 */
bool
dp_units_source_go_on(DpSource *source)
{
	AppendState *append = parts_of(source);
	MemoryContext old;
	bool		more;

	if (append == NULL)
		return false;
	source->scan = NULL;
	source->reader = source->child;
	source->layout = source->own;
	old = MemoryContextSwitchTo(source->child->state->es_query_cxt);
	more = append->choose_next_subplan(append);
	MemoryContextSwitchTo(old);
	return more && dp_units_source_ask(source);
}
