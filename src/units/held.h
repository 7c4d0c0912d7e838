/*
 * held.h
 *	  Rows on their way into the table of units, held back by parts of it.
 *
 * Plain C: no server header.  Part of table.c; see there.  Rows are packed in the same
 * way for tables of other processes.
 *
 * Rows in any order, taken one by one to a table larger than the processor's
 * caches, miss them at every step.  A part of the table is a range of hashes, and
 * with it a range of places.  Rows of a part are held back until there are many,
 * and then put in together: what one brings into the cache, the others find there.
 * While the table is small there is one part, of a batch of rows, so that their
 * cache lines arrive meanwhile.
 *
 * A row's places take 32 bits each if no measure is expected to have others; a row
 * that has one all the same is refused, and the owner puts it in by itself.
 */
#ifndef DP_UNITS_HELD_H
#define DP_UNITS_HELD_H

#include "units/slots.h"

typedef enum DpHeldForm
{
	DP_HELD_PLACES,				/* 64 bits per measure */
	DP_HELD_SHORT_PLACES,		/* 32 bits per measure */
	DP_HELD_ACCUMULATORS		/* rows added up before */
} DpHeldForm;

typedef struct DpHeldPart
{
	uint8_t    *next;			/* where its next row goes */
	uint8_t    *end;
} DpHeldPart;

/* A row: its unit's hash, the second word of its id, its group, and what it brings. */
typedef struct DpHeld
{
	DpUnitsMemory memory;
	DpHeldForm	form;
	int			id_words;
	int			measures;
	const DpUnitsMeasure *measure;
	size_t		data_offset;	/* in a row */
	size_t		data_size;
	size_t		row_size;
	int			bits;			/* 2^bits parts */
	size_t		part_size;		/* bytes, of whole rows */
	size_t		part_stride;	/* from one part to the next */
	DpHeldPart *ripe;			/* the part without room for a row; or NULL */
	uint8_t    *rows;			/* part after part */
	DpHeldPart *part;
} DpHeld;

/* One part, of a batch, for rows of units of these entries, or such added up before. */
extern void dp_held_create(DpHeld *held, const DpSlots *slots, bool combined);

/* Give back all memory. */
extern void dp_held_destroy(DpHeld *held);

/*
 * Make many parts, in no more than about so many bytes, unless they would be too
 * small; and one again.  No row may be held back.
 */
extern void dp_held_divide(DpHeld *held, size_t size);
extern void dp_held_unite(DpHeld *held);

/* Is no row held back? */
extern bool dp_held_is_empty(const DpHeld *held);

/* Take a part's rows before this one away. */
extern void dp_held_remove(DpHeld *held, DpHeldPart *part, const uint8_t *first);

/* Bytes of memory. */
static inline size_t
dp_held_size(const DpHeld *held)
{
	return (held->part_stride + sizeof(DpHeldPart)) << held->bits;
}

/* A part's first row. */
static inline uint8_t *
dp_held_first(const DpHeld *held, const DpHeldPart *part)
{
	return part->end - held->part_size;
}

/* The hash of a row's unit, and the second word of its id. */
static inline uint64_t
dp_held_hash(const uint8_t *row)
{
	return dp_acc_load64(row);
}

static inline uint64_t
dp_held_second(const DpHeld *held, const uint8_t *row)
{
	return held->id_words == 1 ? 0 : dp_acc_load64(row + sizeof(uint64_t));
}

static inline uint32_t
dp_held_group(const DpHeld *held, const uint8_t *row)
{
	return dp_acc_load32(row + held->data_offset - sizeof(uint32_t));
}

/* What a row brings. */
static inline const uint8_t *
dp_held_data(const DpHeld *held, const uint8_t *row)
{
	return row + held->data_offset;
}

/* Write a place in 32 bits; false if it does not fit. */
static inline bool
dp_held_shorten(const DpUnitsMeasure *measure, int64_t place, uint8_t *to)
{
	if (place == DP_GRID_NONE)
		place = DP_SHORT_NONE;
	else if (dp_acc_clamps_places(measure))
		place = dp_acc_clamp(measure, place);
	else
		return false;
	dp_acc_store32(to, (uint32_t) place);
	return true;
}

/* Write places in 32 bits each; false if one does not fit. */
static inline bool
dp_held_put_short(const DpHeld *held, const int64_t *places, uint8_t *to)
{
	for (int i = 0; i < held->measures; i++, to += sizeof(int32_t))
		if (places[i] > DP_SHORT_NONE && places[i] <= INT32_MAX)
			dp_acc_store32(to, (uint32_t) places[i]);
		else if (!dp_held_shorten(&held->measure[i], places[i], to))
			return false;
	return true;
}

/*
 * Write a row of a unit with this hash: its places, or accumulators.  False if it is
 * refused.
 */
static inline bool
dp_held_write(const DpHeld *held, uint8_t *row, uint64_t hash, uint64_t second, uint32_t group,
			  const void *brought)
{
	uint8_t    *data = row + held->data_offset;

	dp_acc_store64(row, hash);
	if (held->id_words > 1)
		dp_acc_store64(row + sizeof(uint64_t), second);
	dp_acc_store32(data - sizeof(uint32_t), group);
	if (held->form == DP_HELD_SHORT_PLACES)
		return dp_held_put_short(held, brought, data);
	memcpy(data, brought, held->data_size);
	return true;
}

/*
 * The part of a unit with this hash, where its next row goes; the part's next but one
 * is written a while later.  The part must not be ripe.
 */
static DP_ALWAYS_INLINE DpHeldPart *
dp_held_part(const DpHeld *held, uint64_t hash)
{
	DpHeldPart *part = &held->part[(hash >> 1) >> (63 - held->bits)];

	__builtin_prefetch(part->next + 2 * DP_SLOTS_LINE, 1);
	return part;
}

/* The part has a row more. */
static inline void
dp_held_advance(DpHeld *held, DpHeldPart *part)
{
	part->next += held->row_size;
	if (part->next == part->end)
		held->ripe = part;
}

/* Hold back a row, unless it is refused. */
static inline bool
dp_held_add(DpHeld *held, uint64_t hash, uint64_t second, uint32_t group, const void *brought)
{
	DpHeldPart *part = dp_held_part(held, hash);

	if (!dp_held_write(held, part->next, hash, second, group, brought))
		return false;
	dp_held_advance(held, part);
	return true;
}

/* Copy a row, without a call: a few words, of which the last may be half. */
static inline void
dp_held_copy(uint8_t *to, const uint8_t *row, size_t size)
{
	for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t))
	{
		dp_acc_store64(to, dp_acc_load64(row));
		to += sizeof(uint64_t);
		row += sizeof(uint64_t);
	}
	if (size > 0)
		dp_acc_store32(to, dp_acc_load32(row));
}

/* Hold back a row written before, in this group. */
static inline void
dp_held_add_written(DpHeld *held, const uint8_t *row, uint32_t group)
{
	DpHeldPart *part = dp_held_part(held, dp_held_hash(row));

	dp_held_copy(part->next, row, held->row_size);
	dp_acc_store32(part->next + held->data_offset - sizeof(uint32_t), group);
	dp_held_advance(held, part);
}

#endif							/* DP_UNITS_HELD_H */
