/*
 * merge.c
 *	  Sorting groups and adding up those that came in parts.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/datum.h"

#include "aggregate/exact.h"
#include "units/merge.h"

/* Columns of the rows sorted: the keys and a DpTotals. */
static TupleDesc
describe_rows(TupleDesc keys, int nkeys)
{
	TupleDesc	desc = CreateTemplateTupleDesc(nkeys + 1);

	for (int i = 0; i < nkeys; i++)
		TupleDescCopyEntry(desc, i + 1, keys, i + 1);
	TupleDescInitEntry(desc, nkeys + 1, "totals", BYTEAOID, -1, 0);
	return desc;
}

/* Sort by all keys, ascending, NULL last. */
static Tuplesortstate *
begin_sort(TupleDesc desc, int nkeys, List *operators, List *collations)
{
	AttrNumber *attribute = palloc(nkeys * sizeof(AttrNumber));
	Oid		   *operator = palloc(nkeys * sizeof(Oid));
	Oid		   *collation = palloc(nkeys * sizeof(Oid));
	bool	   *nulls_first = palloc0(nkeys * sizeof(bool));

	for (int i = 0; i < nkeys; i++)
	{
		attribute[i] = i + 1;
		operator[i] = list_nth_oid(operators, i);
		collation[i] = list_nth_oid(collations, i);
	}
	return tuplesort_begin_heap(desc, nkeys, attribute, operator, collation, nulls_first, work_mem,
								NULL, TUPLESORT_NONE);
}

__int128 *
dp_merge_make_totals(int parts)
{
	return (__int128 *) TYPEALIGN(sizeof(__int128), palloc0((parts + 1) * sizeof(__int128)));
}

DpMerge *
dp_merge_begin(TupleDesc keys, int nkeys, List *operators, List *collations, int parts)
{
	DpMerge    *merge = palloc0(sizeof(DpMerge));

	merge->nkeys = nkeys;
	merge->parts = parts;
	merge->desc = describe_rows(keys, nkeys);
	merge->totals = dp_merge_make_totals(parts);
	merge->row_totals = dp_merge_make_totals(parts);
	if (nkeys > 0)
	{
		merge->sort = begin_sort(merge->desc, nkeys, operators, collations);
		merge->input = MakeSingleTupleTableSlot(merge->desc, &TTSOpsVirtual);
		merge->current = MakeSingleTupleTableSlot(merge->desc, &TTSOpsMinimalTuple);
		merge->next = MakeSingleTupleTableSlot(merge->desc, &TTSOpsMinimalTuple);
	}
	return merge;
}

static void
add_totals(DpMerge *merge, const __int128 *totals)
{
	for (int i = 0; i < merge->parts; i++)
		merge->totals[i] += totals[i];
}

void
dp_merge_put(DpMerge *merge, const Datum *keys, const bool *isnull, const __int128 *totals)
{
	TupleTableSlot *slot = merge->input;
	bytea	   *value;

	if (merge->sort == NULL)
	{
		add_totals(merge, totals);
		return;
	}
	ExecClearTuple(slot);
	memcpy(slot->tts_values, keys, merge->nkeys * sizeof(Datum));
	memcpy(slot->tts_isnull, isnull, merge->nkeys * sizeof(bool));
	value = dp_aggregate_make_totals(merge->parts, totals);
	slot->tts_values[merge->nkeys] = PointerGetDatum(value);
	slot->tts_isnull[merge->nkeys] = false;
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(merge->sort, slot);
	pfree(value);
}

/* Read a row of the sorted ones; the slot is empty at the end. */
static void
read_row(DpMerge *merge, TupleTableSlot *slot)
{
	CHECK_FOR_INTERRUPTS();
	if (tuplesort_gettupleslot(merge->sort, true, true, slot, NULL))
		slot_getallattrs(slot);
}

/* Are the keys of both rows the same?  Equal ones have the same bytes. */
static bool
same_keys(const DpMerge *merge, const TupleTableSlot *a, const TupleTableSlot *b)
{
	for (int i = 0; i < merge->nkeys; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(merge->desc, i);

		if (a->tts_isnull[i] != b->tts_isnull[i])
			return false;
		if (!a->tts_isnull[i] &&
			!datum_image_eq(a->tts_values[i], b->tts_values[i],
							attribute->attbyval, attribute->attlen))
			return false;
	}
	return true;
}

static void
add_row(DpMerge *merge, const TupleTableSlot *slot)
{
	dp_aggregate_read_totals(DatumGetByteaPP(slot->tts_values[merge->nkeys]), merge->parts,
							 merge->row_totals);
	add_totals(merge, merge->row_totals);
}

bool
dp_merge_next(DpMerge *merge)
{
	TupleTableSlot *slot = merge->current;

	if (merge->sort == NULL)
	{
		bool		first = !merge->started;

		merge->started = true;
		return first;
	}
	if (!merge->started)
	{
		tuplesort_performsort(merge->sort);
		read_row(merge, merge->next);
		merge->started = true;
	}
	if (TupIsNull(merge->next))
		return false;
	merge->current = merge->next;
	merge->next = slot;
	memset(merge->totals, 0, merge->parts * sizeof(__int128));
	add_row(merge, merge->current);
	for (;;)
	{
		read_row(merge, merge->next);
		if (TupIsNull(merge->next) || !same_keys(merge, merge->current, merge->next))
			return true;
		add_row(merge, merge->next);
	}
}

void
dp_merge_end(DpMerge *merge)
{
	if (merge->sort == NULL)
		return;
	ExecDropSingleTupleTableSlot(merge->input);
	ExecDropSingleTupleTableSlot(merge->current);
	ExecDropSingleTupleTableSlot(merge->next);
	tuplesort_end(merge->sort);
}
