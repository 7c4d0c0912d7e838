/*
 * star.c
 *	  Looking up rows of the sides of a star.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "base/compat.h"
#include "units/adding.h"
#include "units/heap.h"
#include "units/star.h"
#include "units/star_side.h"
#include "units/word.h"

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
		done = dp_star_side_read(&star->sides, &star->side[i], limit);
	MemoryContextSwitchTo(old);
	return done;
}

static void
forget_secret(DpStar *star)
{
	explicit_bzero(&star->sides.secret, sizeof(star->sides.secret));
}

/* What the star's rows are: the columns that are wanted. */
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
	source->desc = desc;
	source->slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	source->column = palloc0((desc->natts + 1) * sizeof(DpSourceColumn));
	for (int i = 0; i < desc->natts; i++)
		source->column[i].number = i;
	return source;
}

DpSource *
dp_star_start(List *children, List *description, Size limit)
{
	List	   *columns = DP_STAR_CHILDREN(description);
	List	   *places = DP_STAR_PLACES(description);
	DpStar	   *star = palloc0(sizeof(DpStar));
	TupleDesc	desc;

	star->nsides = list_length(children) - 1;
	star->side = palloc0(star->nsides * sizeof(DpStarSide));
	for (int i = 0; i < star->nsides; i++)
		dp_star_side_start(&star->side[i], list_nth(children, i + 1), list_nth(columns, i + 1),
						   list_nth_int(DP_STAR_OPTIONAL(description), i));
	star->place = palloc((list_length(places) + 1) * sizeof(Place));
	desc = describe(children, columns, places, star->place);
	dp_adding_draw_secret(&star->sides.secret);
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
	star->base = dp_source_start(linitial(children), linitial(columns));
	star->width = list_length(linitial(columns));
	star->value = palloc(DP_STAR_BATCH * star->width * sizeof(DpStarValue));
	return source_of(star, desc);
}

Size
dp_star_used(const DpSource *source)
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

		side->isnull[held] = dp_source_is_null(base, i);
		if (unlikely(side->isnull[held]))
			continue;
		side->key[held] = dp_units_id(dp_source_value(base, i), side->form,
									  base->column[i].length, &star->sides.secret.unit);
		side->hash[held] = dp_units_hash(&star->sides.secret, &side->key[held]);
		__builtin_prefetch(&side->entry[side->hash[held] >> side->shift]);
	}
	for (int i = star->nsides; i < star->width; i++)
	{
		value[i].isnull = dp_source_is_null(base, i);
		if (unlikely(value[i].isnull))
			continue;
		value[i].value = dp_source_value(base, i);
		if (!base->column[i].by_value)
			value[i].value = datumCopy(value[i].value, false, base->column[i].length);
	}
}

/* Find what the rows held back are joined with. */
static void
look_up(DpStar *star, DpStarSide *side)
{
	for (int i = 0; i < star->held; i++)
	{
		side->row[i] = side->isnull[i] ? NULL : dp_star_side_find(side, &side->key[i], side->hash[i])->row;
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
		star->done = !dp_source_next(star->base);
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

	for (int j = 0; j < source->desc->natts; j++)
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
dp_star_next(DpSource *source)
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
