/*
 * star_side.h
 *	  A side of a star: a table in memory, whose rows are found by their keys.
 */
#ifndef DP_UNITS_STAR_SIDE_H
#define DP_UNITS_STAR_SIDE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/pg_list.h"

#include "units/record.h"
#include "units/word.h"

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

/* What all sides of a star share. */
typedef struct DpStarSides
{
	DpUnitsSecret secret;		/* of places in hash tables, and of digests */
	MemoryContext context;		/* of what the sides hold */
	Size		used;			/* of it */
	MemoryContext values;		/* of keys, and of what rows of the base have by reference */
} DpStarSides;

/* A side that is a child's rows: these columns of them, the key first. */
extern void dp_star_side_start(DpStarSide *side, PlanState *child, List *columns, bool optional);

/* Read a side to its end, in the current memory context; false if it does not fit. */
extern bool dp_star_side_read(DpStarSides *sides, DpStarSide *side, Size limit);

/* The entry with this key, or the one it would be put into. */
static inline DpStarEntry *
dp_star_side_find(const DpStarSide *side, const DpUnitId *key, uint64 hash)
{
	for (uint64 i = hash >> side->shift;; i = (i + 1) & side->mask)
	{
		DpStarEntry *entry = &side->entry[i];

		if (entry->row == NULL || (entry->word == key->word[0] &&
								   (side->form == DP_UNIT_WORD || entry->row->value == key->word[1])))
			return entry;
	}
}

#endif							/* DP_UNITS_STAR_SIDE_H */
