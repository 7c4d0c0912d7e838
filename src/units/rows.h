/* SPDX-License-Identifier: PostgreSQL */
/*
 * rows.h
 *	  From rows (unit, keys, values) to what is collected, and from group keys as they
 *	  are kept back to values.
 *
 * A key, or a unit (word.h), is taken for its bytes: its type must have only one form
 * for equal values, as the rewriter sees to.
 */
#ifndef DP_UNITS_ROWS_H
#define DP_UNITS_ROWS_H

#include "postgres.h"

#include "aggregate/cells.h"
#include "aggregate/place.h"
#include "units/collect.h"
#include "units/node.h"
#include "units/source.h"
#include "units/word.h"

/* A value that has a place. */
typedef struct DpUnitsValue
{
	int			number;			/* in the source; -1: a constant, or none */
	DpValueType type;
	DpGrid		grid;
} DpUnitsValue;

/* Columns that an aggregate takes from a row. */
typedef struct DpUnitsReader
{
	DpUnitsValue value;
	bool		has_place;		/* is it looked at, not only whether there is one? */
	DpUnitsValue y;				/* of a pair, value being x */
	const DpMomentsSpec *pair;	/* its bounds */
	DpCellSpec *cells;			/* of a quantile; or NULL */
	bool		tells_apart;	/* is its place what tells it from other values, of a type */
	DpUnitForm	form;			/* of this form; and */
	int16		length;			/* likewise */
} DpUnitsReader;

typedef struct DpUnitsRows
{
	const DpUnitsPlan *plan;
	DpSource   *source;			/* unit unless rows are units, keys, values */
	DpUnitForm	unit_form;		/* unless rows are units */
	int			first_key;		/* its number in the source */
	MemoryContext context;		/* scratch: what values are read with */
	DpCollect  *collect;		/* where rows go */
	DpUnitsReader *reader;		/* per aggregate */
	int			next;			/* row of the source's batch */
	DpUnitId   *unit;			/* of each row of the batch: its unit, */
	uint32	   *group;			/* its group, or */
	DpUnitId   *id;				/* the id of that, */
	int64	   *place;			/* and of each aggregate a place */
	int64	   *place_y;		/* scratch: of a pair's second values */
	StringInfoData key;			/* of the row last read: as bytes */
	bool		word_key;		/* one key, passed by value */
	Datum		cached_key[DP_KEY_CACHE];	/* those that are words */
	uint32		cached_group[DP_KEY_CACHE]; /* DP_NO_GROUP: nothing cached */
	__int128   *single;			/* scratch: totals of a row that is all its unit has */
	uint8	   *acc;			/* scratch: what a row stands for, and its cells, */
	DpCells    *cells;			/* where it stands for several: per aggregate */
} DpUnitsRows;

/* The measures of a plan over these rows, or none, in the current context. */
extern DpUnitsMeasure *dp_units_measures(const DpUnitsPlan *plan, const DpSource *source);

/* What reading a row allocates goes to `context`, which is reset meanwhile, and by the caller after each batch. */
extern DpUnitsRows *dp_units_start_rows(const DpUnitsPlan *plan, DpSource *source,
										DpCollect *collect, MemoryContext context);

/*
 * Read some rows to be collected, or where rows are units add them to their groups'
 * totals; false at the end.
 */
extern bool dp_units_read_rows(DpUnitsRows *rows);

/*
 * The values of a key with these bytes, those by reference in the current memory context: per
 * column a zero if it is NULL or too long, else a one and the value, if of variable length
 * behind its length.
 */
extern void dp_units_read_key(const DpUnitsRows *rows, const uint8_t *bytes, Datum *values, bool *isnull);

#endif							/* DP_UNITS_ROWS_H */
