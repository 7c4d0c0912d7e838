/* SPDX-License-Identifier: PostgreSQL */
/*
 * merge.c
 *	  Sorting groups and adding up those that came in parts.
 *
 * What a group comes to is, in bytes, its totals of 16 bytes each, and then the cells
 * that weigh something: { uint32 cell, uint32 low, uint32 high of its weight } ...
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "base/compat_catalog.h"
#include "base/compat_varlena.h"
#include "units/merge.h"

/* Columns of the rows sorted: the keys, and what they come to. */
static TupleDesc
describe_rows(TupleDesc keys, int nkeys)
{
	TupleDesc	desc = CreateTemplateTupleDesc(nkeys + 1);

	for (int i = 0; i < nkeys; i++)
		TupleDescCopyEntry(desc, i + 1, keys, i + 1);
	TupleDescInitEntry(desc, nkeys + 1, "totals", BYTEAOID, -1, 0);
	return dp_compat_described(desc);
}

/* Share of the node's memory for sorting, but at least what PostgreSQL needs. */
#define SORT_SHARE 8
#define LEAST_SORT_MEMORY 64	/* kB */

/* Sort by all keys, ascending, NULL last. */
static Tuplesortstate *
begin_sort(TupleDesc desc, int nkeys, List *operators, List *collations, Size limit)
{
	int			memory = (int) Min(limit / SORT_SHARE / 1024, (Size) work_mem);
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
	return tuplesort_begin_heap(desc, nkeys, attribute, operator, collation, nulls_first,
								Max(memory, LEAST_SORT_MEMORY), NULL, TUPLESORT_NONE);
}

__int128 *
dp_units_merge_make_totals(int parts)
{
	return (__int128 *) TYPEALIGN(sizeof(__int128), palloc0((parts + 1) * sizeof(__int128)));
}

/* Begin a group, with nothing in it. */
static void
clear(DpMerge *merge)
{
	const DpUnitsSpec *spec = merge->spec;

	memset(merge->totals, 0, spec->parts * sizeof(__int128));
	if (spec->cells == 0)
		return;
	MemoryContextReset(merge->context);
	for (int i = 0; i < spec->measures; i++)
	{
		DpCellsShared *shared;

		if (spec->measure[i].kind != DP_UNITS_CELLS)
			continue;
		shared = MemoryContextAllocZero(merge->context, sizeof(DpCellsShared));
		shared->cells = spec->measure[i].cells;
		shared->max_rows = spec->measure[i].max_rows;
		merge->cells[i] = dp_aggregate_new_cells(merge->context, shared);
	}
}

DpMerge *
dp_units_merge_begin(TupleDesc keys, int nkeys, List *operators, List *collations,
					 const DpUnitsSpec *spec)
{
	DpMerge    *merge = palloc0(sizeof(DpMerge));

	merge->nkeys = nkeys;
	merge->spec = spec;
	merge->desc = describe_rows(keys, nkeys);
	merge->totals = dp_units_merge_make_totals(spec->parts);
	merge->cells = palloc0((spec->measures + 1) * sizeof(DpCellsState *));
	merge->context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg cells of a group",
										   ALLOCSET_DEFAULT_SIZES);
	clear(merge);
	if (nkeys > 0)
	{
		merge->sort = begin_sort(merge->desc, nkeys, operators, collations, spec->limit);
		merge->input = MakeSingleTupleTableSlot(merge->desc, &TTSOpsVirtual);
		merge->current = MakeSingleTupleTableSlot(merge->desc, &TTSOpsMinimalTuple);
		merge->next = MakeSingleTupleTableSlot(merge->desc, &TTSOpsMinimalTuple);
	}
	return merge;
}

/* Add weight to a cell of the group, known by its number among those of all measures. */
static void
add_weight(DpMerge *merge, int *measure, uint32 cell, uint64 weight)
{
	const DpUnitsMeasure *all = merge->spec->measure;

	/* Cells come measure by measure, mostly. */
	if (*measure < 0 || cell < all[*measure].first_cell)
		*measure = 0;
	while (cell - all[*measure].first_cell >= all[*measure].cells)
		(*measure)++;
	dp_aggregate_add_weight(merge->cells[*measure], cell - all[*measure].first_cell, weight);
}

/* Add bytes to what the group comes to. */
static void
add_bytes(DpMerge *merge, bytea *value)
{
	bytea	   *plain = pg_detoast_datum_packed(value);
	const char *bytes = VARDATA_ANY(plain);
	const char *end = bytes + VARSIZE_ANY_EXHDR(plain);
	int			measure = -1;

	for (int i = 0; i < merge->spec->parts; i++)
	{
		__int128	total;

		memcpy(&total, bytes, sizeof(total));
		merge->totals[i] += total;
		bytes += sizeof(total);
	}
	for (; bytes < end; bytes += DP_CELL_ENTRY)
	{
		uint32		word[3];

		memcpy(word, bytes, sizeof(word));
		add_weight(merge, &measure, word[0], (uint64) word[2] << 32 | word[1]);
	}
	if (plain != value)
		pfree(plain);
}

/* Bytes of these totals, with room for so many cells. */
static bytea *
make_bytes(const DpUnitsSpec *spec, const __int128 *totals, uint64 cells, char **at)
{
	Size		size = VARHDRSZ + spec->parts * sizeof(__int128) + cells * DP_CELL_ENTRY;
	bytea	   *result = palloc(size);

	SET_VARSIZE(result, size);
	memcpy(VARDATA(result), totals, spec->parts * sizeof(__int128));
	*at = VARDATA(result) + spec->parts * sizeof(__int128);
	return result;
}

static void
put_weight(char **at, uint32 cell, uint64 weight)
{
	uint32		word[3] = {cell, (uint32) weight, (uint32) (weight >> 32)};

	memcpy(*at, word, sizeof(word));
	*at += sizeof(word);
}

/* Cells of a measure: how many may weigh something, and put those that do. */
static uint64
count_cells(const DpCellsState *state)
{
	return state == NULL ? 0 : state->cell ? state->entries : state->shared->cells;
}

static void
put_cells(const DpCellsState *state, uint32 first, char **at)
{
	for (uint64 i = 0; i < count_cells(state); i++)
	{
		uint32		cell = state->cell ? state->cell[i] : (uint32) i;
		uint64		weight = dp_aggregate_cells_weight_at(state, i);

		if (weight > 0)
			put_weight(at, first + cell, weight);
	}
}

bytea *
dp_units_merge_bytes(const DpMerge *merge)
{
	const DpUnitsSpec *spec = merge->spec;
	uint64		cells = 0;
	char	   *at;
	bytea	   *result;

	for (int i = 0; i < spec->measures; i++)
		cells += count_cells(merge->cells[i]);
	result = make_bytes(spec, merge->totals, cells, &at);
	for (int i = 0; i < spec->measures; i++)
		put_cells(merge->cells[i], spec->measure[i].first_cell, &at);
	SET_VARSIZE(result, at - (char *) result);
	return result;
}

void
dp_units_merge_put_bytes(DpMerge *merge, const Datum *keys, const bool *isnull, bytea *bytes)
{
	TupleTableSlot *slot = merge->input;

	if (merge->sort == NULL)
	{
		add_bytes(merge, bytes);
		return;
	}
	ExecClearTuple(slot);
	memcpy(slot->tts_values, keys, merge->nkeys * sizeof(Datum));
	memcpy(slot->tts_isnull, isnull, merge->nkeys * sizeof(bool));
	slot->tts_values[merge->nkeys] = PointerGetDatum(bytes);
	slot->tts_isnull[merge->nkeys] = false;
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(merge->sort, slot);
}

void
dp_units_merge_put(DpMerge *merge, const Datum *keys, const bool *isnull, const DpGroupTotals *totals)
{
	char	   *at;
	bytea	   *bytes = make_bytes(merge->spec, totals->totals, totals->weights, &at);

	for (uint32 i = 0; i < totals->weights; i++)
		put_weight(&at, totals->weight[i].cell, totals->weight[i].weight);
	dp_units_merge_put_bytes(merge, keys, isnull, bytes);
	pfree(bytes);
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

bool
dp_units_merge_next(DpMerge *merge)
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
	clear(merge);
	add_bytes(merge, (bytea *) DatumGetPointer(merge->current->tts_values[merge->nkeys]));
	for (;;)
	{
		read_row(merge, merge->next);
		if (TupIsNull(merge->next) || !same_keys(merge, merge->current, merge->next))
			return true;
		add_bytes(merge, (bytea *) DatumGetPointer(merge->next->tts_values[merge->nkeys]));
	}
}

void
dp_units_merge_end(DpMerge *merge)
{
	MemoryContextDelete(merge->context);
	if (merge->sort == NULL)
		return;
	ExecDropSingleTupleTableSlot(merge->input);
	ExecDropSingleTupleTableSlot(merge->current);
	ExecDropSingleTupleTableSlot(merge->next);
	tuplesort_end(merge->sort);
}
