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
#include "base/server_files.h"
#include "units/lookup.h"
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
/*
 * A side of a star: a table in memory, whose rows are found by their keys.
 */

/* Where a column of a side is in its rows. */
typedef struct DpStarColumn
{
	int16		length;			/* as in pg_attribute */
	bool		by_value;
	uint8		size;			/* of the value, or of its address */
	uint32		offset;
	uint32		isnull;			/* likewise, of a bool */
} DpStarColumn;

typedef struct DpStarSide
{
	PlanState  *child;
	bool		optional;
	DpUnitForm	form;			/* of its keys, which are known as units are */
	int			ncolumns;		/* with the key, which is the first */
	List	   *columns;		/* where they are in the child's rows, */
	DpStarColumn *column;		/* and in these: */
	DpKeyedRows rows;
	DpUnitId	key[DP_SOURCE_ROWS];	/* of the rows of the base's batch, where it is not NULL */
	uint64		hash[DP_SOURCE_ROWS];
	const char *row[DP_SOURCE_ROWS];	/* what they are joined with, or NULL */
} DpStarSide;

typedef struct DpStar
{
	DpSource   *base;
	int			nsides;
	DpStarSide *side;
	List	   *places;			/* per column wanted: child, 0 being the base, and number there */
	DpUnitsSecret secret;		/* of places in hash tables, and of digests */
	MemoryContext context;		/* of what the sides hold */
	Size		used;			/* of it */
	MemoryContext values;		/* of keys */
	int			joined[DP_SOURCE_ROWS]; /* rows of the base's batch that are joined */
} DpStar;

/*
 * Reading the sides of a star.
 */

/* Keep a value beyond the child's next row. */
static Datum
keep(DpStar *star, Datum value, const DpStarColumn *column)
{
	if (column->by_value)
		return value;
	star->used += datumGetSize(value, false, column->length);
	return datumCopy(value, false, column->length);
}

/* A key that is not NULL. */
static inline DpUnitId
read_key(DpStar *star, const DpStarSide *side, const DpSourceColumn *column, int row)
{
	MemoryContext old = MemoryContextSwitchTo(star->values);
	DpUnitId	key = dp_units_id(column->value[row], side->form, column->type->attlen, &star->secret.unit);

	MemoryContextSwitchTo(old);
	if (unlikely(star->values->mem_allocated > DP_SOURCE_HELD))
		MemoryContextReset(star->values);
	return key;
}

/* Put a row of the source's batch into a side, unless its key is NULL, which equals nothing; false if it does not fit. */
static bool
put_row(DpStar *star, DpStarSide *side, const DpSource *source, int number)
{
	DpUnitId	key;
	char	   *row;

	if (dp_units_source_is_null(&source->column[0], number))
		return true;
	key = read_key(star, side, &source->column[0], number);
	row = dp_units_lookup_add(&side->rows, &key);
	if (row == NULL)
		return false;
	for (int i = 1; i < side->ncolumns; i++)
	{
		const DpStarColumn *column = &side->column[i];
		Datum		value = source->column[i].value[number];

		row[column->isnull] = dp_units_source_is_null(&source->column[i], number);
		if (!row[column->isnull])
			store_att_byval(row + column->offset, keep(star, value, column), column->size);
	}
	star->used += side->rows.row_size;
	return true;
}

/* Read a side to its end, in the current memory context; false if it does not fit. */
static bool
star_side_read(DpStar *star, DpStarSide *side, Size limit)
{
	DpSource   *source = dp_units_source_start(side->child, side->columns);
	DpMemory	memory;

	dp_memory_use_context(&memory, star->context);
	dp_units_lookup_create(&side->rows, &memory, &star->secret, side->column[0].size, side->rows.row_size);
	while (dp_units_source_read(source))
	{
		CHECK_FOR_INTERRUPTS();
		for (int row = 0; row < source->rows; row++)
			if (!put_row(star, side, source, row) || star->used > limit)
				return false;
	}
	if (!dp_units_lookup_index(&side->rows, limit - star->used))
		return false;
	star->used += dp_units_lookup_index_size(&side->rows);
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

/* Read all sides; false if they do not fit. */
static bool
read_sides(DpStar *star, Size limit)
{
	MemoryContext old = MemoryContextSwitchTo(star->context);
	bool		done = true;

	for (int i = 0; done && i < star->nsides; i++)
		done = star_side_read(star, &star->side[i], limit);
	MemoryContextSwitchTo(old);
	return done;
}

/* Describe the star's rows: where each column that is wanted comes from. */
static void
describe(DpStar *star, DpSource *source, List *children, List *columns, List *places)
{
	dp_units_source_want(source, list_length(places) / 2);
	star->places = places;
	for (int i = 0; i < source->ncolumns; i++)
	{
		int			child = list_nth_int(places, 2 * i);
		int			number = list_nth_int(places, 2 * i + 1);

		source->column[i].type = TupleDescAttr(ExecGetResultType(list_nth(children, child)),
											   list_nth_int(list_nth(columns, child), number));
	}
}

DpSource *
dp_units_star_start(List *children, List *description, Size limit)
{
	List	   *columns = linitial(description);
	DpStar	   *star = palloc0(sizeof(DpStar));
	DpSource   *source = palloc0(sizeof(DpSource));

	star->nsides = list_length(children) - 1;
	star->side = palloc0(star->nsides * sizeof(DpStarSide));
	for (int i = 0; i < star->nsides; i++)
		star_side_start(&star->side[i], list_nth(children, i + 1), list_nth(columns, i + 1),
						list_nth_int(lthird(description), i));
	describe(star, source, children, columns, lsecond(description));
	dp_units_adding_draw_secret(&star->secret);
	star->values = AllocSetContextCreate(CurrentMemoryContext, "dp_agg rows to join",
										 ALLOCSET_DEFAULT_SIZES);
	star->context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg joined tables",
										  ALLOCSET_DEFAULT_SIZES);
	if (!read_sides(star, limit))
	{
		explicit_bzero(&star->secret, sizeof(star->secret));
		MemoryContextDelete(star->context);
		return NULL;
	}
	star->base = dp_units_source_start(linitial(children), linitial(columns));
	source->star = star;
	return source;
}

Size
dp_units_star_used(const DpSource *source)
{
	return source->star ? source->star->used : 0;
}

/* Find what the base's rows are joined with on the i-th side, one step after the other. */
static void
look_up(DpStar *star, int i)
{
	DpStarSide *side = &star->side[i];
	const DpSourceColumn *column = &star->base->column[i];
	int			rows = star->base->rows;

	for (int row = 0; row < rows; row++)
	{
		if (dp_units_source_is_null(column, row))
			continue;
		side->key[row] = read_key(star, side, column, row);
		side->hash[row] = dp_units_lookup_hash(&side->rows, &side->key[row]);
	}
	for (int row = 0; row < rows; row++)
		if (!dp_units_source_is_null(column, row))
			dp_units_lookup_fetch(&side->rows, side->hash[row]);
	for (int row = 0; row < rows; row++)
		side->row[row] = dp_units_source_is_null(column, row) ? NULL
			: dp_units_lookup_find(&side->rows, &side->key[row], side->hash[row]);
}

/* Is there all that a row of the base has to be joined with? */
static inline bool
is_joined(const DpStar *star, int row)
{
	for (int j = 0; j < star->nsides; j++)
		if (star->side[j].row[row] == NULL && !star->side[j].optional)
			return false;
	return true;
}

/* A row's value of a column; its row may be NULL. */
static inline Datum
side_value(const DpStarColumn *column, const char *row, bool *isnull)
{
	*isnull = row == NULL || row[column->isnull];
	return *isnull ? (Datum) 0 : fetch_att(row + column->offset, true, column->size);
}

/* Take the i-th column of the rows that are joined. */
static void
take_column(const DpStar *star, int i, DpSourceColumn *column, int rows)
{
	int			child = list_nth_int(star->places, 2 * i);
	int			number = list_nth_int(star->places, 2 * i + 1);
	const DpStarSide *side = child > 0 ? &star->side[child - 1] : NULL;
	const DpSourceColumn *from = &star->base->column[side ? 0 : number];

	column->has_null = !side && from->has_null;
	for (int to = 0; to < rows; to++)
	{
		int			row = star->joined[to];

		if (side)
		{
			column->value[to] = side_value(&side->column[number], side->row[row], &column->isnull[to]);
			column->has_null |= column->isnull[to];
			continue;
		}
		column->isnull[to] = dp_units_source_is_null(from, row);
		column->value[to] = from->value[row];
	}
}

bool
dp_units_star_read(DpSource *source)
{
	DpStar	   *star = source->star;

	for (source->rows = 0; source->rows == 0;)
	{
		CHECK_FOR_INTERRUPTS();
		if (!dp_units_source_read(star->base))
		{
			explicit_bzero(&star->secret, sizeof(star->secret));
			return false;
		}
		for (int i = 0; i < star->nsides; i++)
			look_up(star, i);
		for (int row = 0; row < star->base->rows; row++)
			if (is_joined(star, row))
				star->joined[source->rows++] = row;
	}
	for (int i = 0; i < source->ncolumns; i++)
		take_column(star, i, &source->column[i], source->rows);
	return true;
}
