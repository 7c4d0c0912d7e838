/* SPDX-License-Identifier: PostgreSQL */
/*
 * star.h
 *	  Joining rows without a join of PostgreSQL's, in the executor.
 *
 * A star is a base and its sides.  Each row of the base is joined with the one row of
 * each side whose key equals a column of the base's row.  If there is none the row is
 * dropped, or where the side is optional, filled up with NULL.  The sides are read
 * first, to their ends, into hash tables; then rows of the base look up theirs, a batch
 * at once, so that what they look up arrives meanwhile.
 *
 * lookup.h tells how rows are found.
 */
#ifndef DP_UNITS_STAR_H
#define DP_UNITS_STAR_H

#include "postgres.h"

#include "units/lookup.h"
#include "units/source.h"
#include "units/word.h"

/* Bytes that a side's row takes, beside its values: most of them in the index, and what rounds it up. */
#define DP_STAR_ROW_SIZE 24

/*
 * A source of the rows of a star, whose sides are read now; NULL if they do not fit
 * so many bytes.  In the current memory context.
 */
extern DpSource *dp_units_star_start(List *children, List *description, Size limit);

/* Read the next batch; false at the end.  See dp_units_source_read. */
extern bool dp_units_star_read(DpSource *source);

/* Bytes that the sides take. */
extern Size dp_units_star_used(const DpSource *source);

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

/* A row's value of a column; its row may be NULL. */
static inline Datum
dp_units_star_side_value(const DpStarColumn *column, const char *row, bool *isnull)
{
	*isnull = row == NULL || row[column->isnull];
	return *isnull ? (Datum) 0 : fetch_att(row + column->offset, true, column->size);
}

#endif							/* DP_UNITS_STAR_H */
