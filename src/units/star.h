/* SPDX-License-Identifier: PostgreSQL */
/*
 * star.h
 *	  Joining rows without a join of PostgreSQL's, in the executor.
 *
 * A star is a base and its sides.  Each row of the base is joined with the one row of
 * each side whose key equals a column of the base's row.  If there is none the row is
 * dropped, or where the side is optional, filled up with NULL.  The sides are read
 * first, to their ends, into hash tables; then rows of the base look up theirs, held
 * back by some so that what they look up arrives meanwhile.
 *
 * A keyed hash finds the rows, so that nobody can fill a side with keys of one hash.
 */
#ifndef DP_UNITS_STAR_H
#define DP_UNITS_STAR_H

#include "postgres.h"

#include "units/probe.h"
#include "units/source.h"
#include "units/word.h"

/* Bytes that a side's row takes, beside its values. */
#define DP_STAR_ROW_SIZE 64

/*
 * A source of the rows of a star, whose sides are read now; NULL if they do not fit
 * so many bytes.  In the current memory context.
 */
extern DpSource *dp_units_star_start(List *children, List *description, Size limit);

/* Read the next row; false at the end.  See dp_units_source_next. */
extern bool dp_units_star_next(DpSource *source);

/* Bytes that the sides take. */
extern Size dp_units_star_used(const DpSource *source);

/*
 * A side of a star: a table in memory, whose rows are found by their keys.
 */

/* Rows of the base that are held back, so that what they look up arrives meanwhile. */
#define DP_STAR_BATCH 64

/* A row's value of a column. */
typedef struct DpStarValue
{
	Datum		value;
	bool		isnull;
} DpStarValue;

struct DpStarChunk;

/* The row whose key has this first word, or NULL; the second stands in the row. */
typedef struct DpStarEntry
{
	uint64		word;
	const DpStarValue *row;
} DpStarEntry;

typedef struct DpStarSide
{
	PlanState  *child;
	bool		optional;
	DpUnitForm	form;			/* of its keys, which are known as units are */
	int			ncolumns;		/* with the key, which is the first */
	int		   *column;			/* where they are in the child's rows */
	struct DpStarChunk *chunks; /* all are full but the first */
	uint64		count;			/* rows */
	DpStarEntry *entry;
	uint64		mask;			/* entries, a power of two, minus one */
	int			shift;			/* from a hash to an entry */
	bool		isnull[DP_STAR_BATCH];	/* of rows held back: is the key? */
	DpUnitId	key[DP_STAR_BATCH];
	uint64		hash[DP_STAR_BATCH];
	const DpStarValue *row[DP_STAR_BATCH];	/* what they are joined with, or NULL */
} DpStarSide;

/* The entry with this key, or the one it would be put into. */
static inline DpStarEntry *
dp_units_star_side_find(const DpStarSide *side, const DpUnitId *key, uint64 hash)
{
	DP_PROBE(i, hash >> side->shift, side->mask)
	{
		DpStarEntry *entry = &side->entry[i];

		if (entry->row == NULL || (entry->word == key->word[0] &&
								   (side->form == DP_UNIT_WORD || entry->row->value == key->word[1])))
			return entry;
	}
}

#endif							/* DP_UNITS_STAR_H */
