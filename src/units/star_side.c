/*
 * star_side.c
 *	  Reading the sides of a star.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "units/heap.h"
#include "units/source.h"
#include "units/star.h"
#include "units/star_side.h"

/* Rows of a side that memory is taken for at once. */
#define CHUNK_ROWS 512

/* Some rows of a side. */
typedef struct DpStarChunk
{
	struct DpStarChunk *next;
	int			count;
	DpStarValue value[FLEXIBLE_ARRAY_MEMBER];	/* row by row */
} Chunk;

/* Keep a value beyond the child's next row. */
static void
keep(DpStarSides *sides, Datum value, Form_pg_attribute attribute, DpStarValue *kept)
{
	kept->value = value;
	if (kept->isnull || attribute->attbyval)
		return;
	sides->used += datumGetSize(value, false, attribute->attlen);
	kept->value = datumCopy(value, false, attribute->attlen);
}

/* Room for another row of a side. */
static DpStarValue *
add_row(DpStarSides *sides, DpStarSide *side)
{
	Size		row_size = side->ncolumns * sizeof(DpStarValue);
	Chunk	   *chunk = side->chunks;

	if (side->count % CHUNK_ROWS == 0)
	{
		chunk = palloc(offsetof(Chunk, value) + CHUNK_ROWS * row_size);
		chunk->next = side->chunks;
		chunk->count = 0;
		side->chunks = chunk;
	}
	side->count++;
	sides->used += DP_STAR_ROW_SIZE + row_size;
	return chunk->value + chunk->count++ * side->ncolumns;
}

/*
 * Put a row into a side, unless its key is NULL, which equals nothing.  In place of the
 * key stand, for now, its words.
 */
static void
put_row(DpStarSides *sides, DpStarSide *side, TupleTableSlot *slot)
{
	TupleDesc	desc = slot->tts_tupleDescriptor;
	int			column = side->column[0];
	MemoryContext old;
	DpStarValue *value;
	DpUnitId	key;

	slot_getallattrs(slot);
	if (slot->tts_isnull[column])
		return;
	old = MemoryContextSwitchTo(sides->values);
	key = dp_units_id(slot->tts_values[column], side->form, TupleDescAttr(desc, column)->attlen,
					  &sides->secret.unit);
	MemoryContextSwitchTo(old);
	if (sides->values->mem_allocated > DP_SOURCE_HELD)
		MemoryContextReset(sides->values);
	value = add_row(sides, side);
	StaticAssertStmt(sizeof(DpStarValue) >= sizeof(DpUnitId), "no room for a key");
	memcpy(value, &key, sizeof(key));
	for (int i = 1; i < side->ncolumns; i++)
	{
		column = side->column[i];
		value[i].isnull = slot->tts_isnull[column];
		keep(sides, slot->tts_values[column], TupleDescAttr(desc, column), &value[i]);
	}
}

/* Have the rows of a side found by their keys, which no two share. */
static void
index_rows(DpStarSides *sides, DpStarSide *side)
{
	uint64		capacity = pg_nextpower2_64(side->count * 3 / 2 + 2);
	DpUnitsMemory memory;

	dp_units_use_context(&memory, sides->context);
	side->entry = memory.allocate(memory.context, capacity * sizeof(DpStarEntry));
	side->mask = capacity - 1;
	side->shift = 64 - pg_leftmost_one_pos64(capacity);
	for (Chunk *chunk = side->chunks; chunk; chunk = chunk->next)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < chunk->count; i++)
		{
			DpStarValue *row = chunk->value + i * side->ncolumns;
			DpUnitId	key;

			memcpy(&key, row, sizeof(key));
			row->value = key.word[1];
			*dp_star_side_find(side, &key, dp_units_hash(&sides->secret, &key)) = (DpStarEntry) {key.word[0], row};
		}
	}
}

bool
dp_star_side_read(DpStarSides *sides, DpStarSide *side, Size limit)
{
	MemoryContext executor = side->child->state->es_query_cxt;

	for (;;)
	{
		MemoryContext old = MemoryContextSwitchTo(executor);
		TupleTableSlot *slot = ExecProcNode(side->child);

		MemoryContextSwitchTo(old);
		CHECK_FOR_INTERRUPTS();
		if (TupIsNull(slot))
			break;
		put_row(sides, side, slot);
		if (sides->used > limit)
			return false;
	}
	index_rows(sides, side);
	return true;
}

void
dp_star_side_start(DpStarSide *side, PlanState *child, List *columns, bool optional)
{
	ListCell   *lc;

	side->child = child;
	side->optional = optional;
	side->form = dp_units_form(TupleDescAttr(ExecGetResultType(child), linitial_int(columns)));
	side->ncolumns = list_length(columns);
	side->column = palloc(side->ncolumns * sizeof(int));
	foreach(lc, columns)
		side->column[foreach_current_index(lc)] = lfirst_int(lc);
}
