/* SPDX-License-Identifier: PostgreSQL */
/*
 * star.c
 *	  Looking up rows of the sides of a star.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "base/compat_catalog.h"
#include "units/files.h"
#include "units/node.h"
#include "units/source.h"
#include "units/star.h"
#include "units/word.h"

/*
 * What the plan says of a star, in its custom_private: for each child, the base first,
 * the positions of its columns in its rows.  For the base these are the keys the sides
 * are joined by and then the columns wanted of it; for a side they are its key and then
 * the columns wanted.  For each column wanted, child and number among those.  And for
 * each side whether it is optional.
 */
#define DP_STAR_CHILDREN(star) ((List *) linitial(star))

#define DP_STAR_PLACES(star) ((List *) lsecond(star))

#define DP_STAR_OPTIONAL(star) ((List *) lthird(star))

/* State that all sides of a star share. */
typedef struct DpStarSides
{
	DpUnitsSecret secret;		/* of places in hash tables, and of digests */
	MemoryContext context;		/* of what the sides hold */
	Size		used;			/* of it */
	MemoryContext values;		/* of keys, and of what rows of the base have by reference */
} DpStarSides;

static void star_side_start(DpStarSide *side, PlanState *child, List *columns, bool optional);
static bool star_side_read(DpStarSides *sides, DpStarSide *side, Size limit);

/*
 * Reading the sides of a star.
 */

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
			*dp_units_star_side_find(side, &key, dp_units_hash(&sides->secret, &key)) = (DpStarEntry) {key.word[0], row};
		}
	}
}

/* Read a side to its end, in the current memory context; false if it does not fit. */
static bool
star_side_read(DpStarSides *sides, DpStarSide *side, Size limit)
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

/* A side that is a child's rows: these columns of them, the key first. */
static void
star_side_start(DpStarSide *side, PlanState *child, List *columns, bool optional)
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

/* Where a column comes from. */
typedef struct Place
{
	int			child;			/* 0: the base */
	int			number;
} Place;

typedef struct DpStar
{
	DpSource   *base;
	int			width;			/* columns of the base */
	int			nsides;
	DpStarSide *side;
	Place	   *place;			/* per column wanted */
	DpStarSides sides;
	int			held;			/* rows of the base */
	int			next;			/* of them */
	bool		done;			/* there are no more */
	DpStarValue *value;			/* theirs, row by row */
} DpStar;

/* Read all sides; false if they do not fit. */
static bool
read_sides(DpStar *star, Size limit)
{
	MemoryContext old = MemoryContextSwitchTo(star->sides.context);
	bool		done = true;

	for (int i = 0; done && i < star->nsides; i++)
		done = star_side_read(&star->sides, &star->side[i], limit);
	MemoryContextSwitchTo(old);
	return done;
}

static void
forget_secret(DpStar *star)
{
	explicit_bzero(&star->sides.secret, sizeof(star->sides.secret));
}

/* Columns of the star's rows: those that are wanted. */
static TupleDesc
describe(List *children, List *columns, List *places, Place *place)
{
	int			width = list_length(places) / 2;
	TupleDesc	desc = CreateTemplateTupleDesc(width);

	for (int i = 0; i < width; i++)
	{
		int			child = list_nth_int(places, 2 * i);
		int			number = list_nth_int(places, 2 * i + 1);
		int			column = list_nth_int(list_nth(columns, child), number);
		Form_pg_attribute attribute =
			TupleDescAttr(ExecGetResultType(list_nth(children, child)), column);

		place[i] = (Place) {child, number};
		TupleDescInitEntry(desc, i + 1, NULL, attribute->atttypid, attribute->atttypmod, 0);
	}
	return dp_compat_described(desc);
}

/* A source whose columns are all that a slot has. */
static DpSource *
source_of(DpStar *star, TupleDesc desc)
{
	DpSource   *source = palloc0(sizeof(DpSource));

	source->star = star;
	source->layout.desc = desc;
	source->slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	source->layout.column = palloc0((desc->natts + 1) * sizeof(DpSourceColumn));
	for (int i = 0; i < desc->natts; i++)
		source->layout.column[i].number = i;
	return source;
}

DpSource *
dp_units_star_start(List *children, List *description, Size limit)
{
	List	   *columns = DP_STAR_CHILDREN(description);
	List	   *places = DP_STAR_PLACES(description);
	DpStar	   *star = palloc0(sizeof(DpStar));
	TupleDesc	desc;

	star->nsides = list_length(children) - 1;
	star->side = palloc0(star->nsides * sizeof(DpStarSide));
	for (int i = 0; i < star->nsides; i++)
		star_side_start(&star->side[i], list_nth(children, i + 1), list_nth(columns, i + 1),
						list_nth_int(DP_STAR_OPTIONAL(description), i));
	star->place = palloc((list_length(places) + 1) * sizeof(Place));
	desc = describe(children, columns, places, star->place);
	dp_units_adding_draw_secret(&star->sides.secret);
	star->sides.values = AllocSetContextCreate(CurrentMemoryContext, "dp_agg rows to join",
											   ALLOCSET_DEFAULT_SIZES);
	star->sides.context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg joined tables",
												ALLOCSET_DEFAULT_SIZES);
	if (!read_sides(star, limit))
	{
		forget_secret(star);
		MemoryContextDelete(star->sides.context);
		return NULL;
	}
	star->base = dp_units_source_start(linitial(children), linitial(columns));
	star->width = list_length(linitial(columns));
	star->value = palloc(DP_STAR_BATCH * star->width * sizeof(DpStarValue));
	return source_of(star, desc);
}

Size
dp_units_star_used(const DpSource *source)
{
	return source->star ? source->star->sides.used : 0;
}

/* Hold back the base's row, and have what it looks up fetched. */
static inline void
hold(DpStar *star)
{
	const DpSource *base = star->base;
	int			held = star->held++;
	DpStarValue *value = star->value + (Size) held * star->width;

	for (int i = 0; i < star->nsides; i++)
	{
		DpStarSide *side = &star->side[i];

		side->isnull[held] = dp_units_source_is_null(base, i);
		if (unlikely(side->isnull[held]))
			continue;
		side->key[held] = dp_units_id(dp_units_source_value(base, i), side->form,
									  base->layout.column[i].length, &star->sides.secret.unit);
		side->hash[held] = dp_units_hash(&star->sides.secret, &side->key[held]);
		__builtin_prefetch(&side->entry[side->hash[held] >> side->shift]);
	}
	for (int i = star->nsides; i < star->width; i++)
	{
		value[i].isnull = dp_units_source_is_null(base, i);
		if (unlikely(value[i].isnull))
			continue;
		value[i].value = dp_units_source_value(base, i);
		if (!base->layout.column[i].by_value)
			value[i].value = datumCopy(value[i].value, false, base->layout.column[i].length);
	}
}

/* Find what the rows held back are joined with. */
static void
look_up(DpStar *star, DpStarSide *side)
{
	for (int i = 0; i < star->held; i++)
	{
		side->row[i] = side->isnull[i] ? NULL : dp_units_star_side_find(side, &side->key[i], side->hash[i])->row;
		if (side->ncolumns > 1)
			__builtin_prefetch(side->row[i]);
	}
}

/* Read some rows of the base. */
static void
read_batch(DpStar *star)
{
	MemoryContext old = MemoryContextSwitchTo(star->sides.values);

	MemoryContextReset(star->sides.values);
	star->held = star->next = 0;
	while (!star->done && star->held < DP_STAR_BATCH && star->sides.values->mem_allocated <= DP_SOURCE_HELD)
	{
		star->done = !dp_units_source_next(star->base);
		if (!star->done)
			hold(star);
	}
	for (int i = 0; i < star->nsides; i++)
		look_up(star, &star->side[i]);
	MemoryContextSwitchTo(old);
}

/* Is there all that the i-th row held back has to be joined with? */
static inline bool
is_joined(const DpStar *star, int i)
{
	for (int j = 0; j < star->nsides; j++)
		if (star->side[j].row[i] == NULL && !star->side[j].optional)
			return false;
	return true;
}

/* Put the columns that are wanted of the i-th row into the slot. */
static inline void
put_columns(const DpSource *source, int i)
{
	const DpStar *star = source->star;
	TupleTableSlot *slot = source->slot;

	for (int j = 0; j < source->layout.desc->natts; j++)
	{
		const Place *place = &star->place[j];
		const DpStarValue *row = place->child > 0 ? star->side[place->child - 1].row[i]
			: star->value + (Size) i * star->width;

		slot->tts_isnull[j] = row == NULL || row[place->number].isnull;
		if (!slot->tts_isnull[j])
			slot->tts_values[j] = row[place->number].value;
	}
}

bool
dp_units_star_next(DpSource *source)
{
	DpStar	   *star = source->star;

	for (;;)
	{
		while (star->next < star->held)
		{
			int			i = star->next++;

			if (!is_joined(star, i))
				continue;
			put_columns(source, i);
			return true;
		}
		if (star->done)
		{
			forget_secret(star);
			return false;
		}
		CHECK_FOR_INTERRUPTS();
		read_batch(star);
	}
}
