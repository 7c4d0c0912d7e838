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

/*
 * Reading the sides of a star.
 */

/* Keep a value beyond the child's next row. */
static Datum
keep(DpStarSides *sides, Datum value, const DpStarColumn *column)
{
	if (column->by_value)
		return value;
	sides->used += datumGetSize(value, false, column->length);
	return datumCopy(value, false, column->length);
}

/* The key of the source's row, which is not NULL. */
static DpUnitId
side_key(DpStarSides *sides, const DpStarSide *side, const DpSource *source)
{
	MemoryContext old = MemoryContextSwitchTo(sides->values);
	DpUnitId	key = dp_units_id(dp_units_source_value(source, 0), side->form, side->column[0].length,
								  &sides->secret.unit);

	MemoryContextSwitchTo(old);
	if (unlikely(sides->values->mem_allocated > DP_SOURCE_HELD))
		MemoryContextReset(sides->values);
	return key;
}

/* Put the source's row into a side, unless its key is NULL, which equals nothing; false if it does not fit. */
static bool
put_row(DpStarSides *sides, DpStarSide *side, const DpSource *source)
{
	DpUnitId	key;
	char	   *row;

	if (dp_units_source_is_null(source, 0))
		return true;
	key = side_key(sides, side, source);
	row = dp_units_lookup_add(&side->rows, &key);
	if (row == NULL)
		return false;
	for (int i = 1; i < side->ncolumns; i++)
	{
		const DpStarColumn *column = &side->column[i];

		row[column->isnull] = dp_units_source_is_null(source, i);
		if (!row[column->isnull])
			store_att_byval(row + column->offset, keep(sides, dp_units_source_value(source, i), column), column->size);
	}
	sides->used += side->rows.row_size;
	return true;
}

/* Read a side to its end, in the current memory context; false if it does not fit. */
static bool
star_side_read(DpStarSides *sides, DpStarSide *side, Size limit)
{
	DpSource   *source = dp_units_source_start(side->child, side->columns);
	DpUnitsMemory memory;

	dp_units_use_context(&memory, sides->context);
	dp_units_lookup_create(&side->rows, &memory, &sides->secret, side->column[0].size, side->rows.row_size);
	while (dp_units_source_next(source))
	{
		CHECK_FOR_INTERRUPTS();
		if (!put_row(sides, side, source) || sides->used > limit)
			return false;
	}
	if (!dp_units_lookup_index(&side->rows, limit - sides->used))
		return false;
	sides->used += dp_units_lookup_index_size(&side->rows);
	return true;
}

/* Lay a side's rows out: the key, for which at least four bytes are taken, the other columns, and which of these are NULL. */
static void
lay_out(DpStarSide *side)
{
	TupleDesc	desc = ExecGetResultType(side->child);
	uint32		size = 0;
	uint32		widest = sizeof(int32);

	side->column = palloc(side->ncolumns * sizeof(DpStarColumn));
	for (int i = 0; i < side->ncolumns; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, list_nth_int(side->columns, i));
		DpStarColumn *column = &side->column[i];

		*column = (DpStarColumn) {attribute->attlen, attribute->attbyval, sizeof(Datum)};
		if (i == 0 && side->form != DP_UNIT_WORD)
			column->size = sizeof(DpUnitId);
		else if (attribute->attbyval)
			column->size = Max(attribute->attlen, i == 0 ? sizeof(int32) : 1);
		column->offset = TYPEALIGN(Min(column->size, sizeof(Datum)), size);
		size = column->offset + column->size;
		widest = Max(widest, Min(column->size, sizeof(Datum)));
	}
	for (int i = 1; i < side->ncolumns; i++)
		side->column[i].isnull = size++;
	side->rows.row_size = TYPEALIGN(widest, size);
}

/* A side that is a child's rows: these columns of them, the key first. */
static void
star_side_start(DpStarSide *side, PlanState *child, List *columns, bool optional)
{
	side->child = child;
	side->optional = optional;
	side->form = dp_units_form(TupleDescAttr(ExecGetResultType(child), linitial_int(columns)));
	side->ncolumns = list_length(columns);
	side->columns = columns;
	lay_out(side);
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
	Datum	   *value;			/* theirs, row by row */
	bool	   *isnull;
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
	star->value = palloc(DP_STAR_BATCH * star->width * sizeof(Datum));
	star->isnull = palloc(DP_STAR_BATCH * star->width * sizeof(bool));
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
	Datum	   *value = star->value + (Size) held * star->width;
	bool	   *isnull = star->isnull + (Size) held * star->width;

	for (int i = 0; i < star->nsides; i++)
	{
		DpStarSide *side = &star->side[i];

		side->isnull[held] = dp_units_source_is_null(base, i);
		if (unlikely(side->isnull[held]))
			continue;
		side->key[held] = dp_units_id(dp_units_source_value(base, i), side->form,
									  base->layout.column[i].length, &star->sides.secret.unit);
		side->hash[held] = dp_units_lookup_hash(&side->rows, &side->key[held]);
	}
	for (int i = star->nsides; i < star->width; i++)
	{
		isnull[i] = dp_units_source_is_null(base, i);
		if (unlikely(isnull[i]))
			continue;
		value[i] = dp_units_source_value(base, i);
		if (!base->layout.column[i].by_value)
			value[i] = datumCopy(value[i], false, base->layout.column[i].length);
	}
}

/* Find what the rows held back are joined with. */
static void
look_up(DpStar *star, DpStarSide *side)
{
	for (int i = 0; i < star->held; i++)
		if (!side->isnull[i])
			dp_units_lookup_fetch(&side->rows, side->hash[i]);
	for (int i = 0; i < star->held; i++)
		side->row[i] = side->isnull[i] ? NULL : dp_units_lookup_find(&side->rows, &side->key[i], side->hash[i]);
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
		int			of_base = i * star->width + place->number;

		if (place->child == 0)
		{
			slot->tts_isnull[j] = star->isnull[of_base];
			slot->tts_values[j] = star->value[of_base];
		}
		else
		{
			const DpStarSide *side = &star->side[place->child - 1];

			slot->tts_values[j] = dp_units_star_side_value(&side->column[place->number], side->row[i], &slot->tts_isnull[j]);
		}
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
