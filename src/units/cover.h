/* SPDX-License-Identifier: PostgreSQL */
/*
 * cover.h
 *	  Which values of a group count, where distinct values do: each unit covers at most
 *	  max_rows of its own, and a value counts once if any unit covers it.
 *
 * Plain C: no server header.  Pairs of a unit and a value are gone through in their
 * order (its log), and a pair is taken if its unit has covered fewer than max_rows
 * values and no unit has covered this one.  This is a maximal matching, the first in
 * this order.  One unit more or less adds at most max_rows to the values that are
 * covered, or removes so many (doc/accounting.md has the proof).
 *
 * Where what is known of units and values does not fit memory, the pairs left are written
 * down with it and gone through again: the result is the same.
 */
#ifndef DP_UNITS_COVER_H
#define DP_UNITS_COVER_H

#include "units/partition_file.h"

/*
 * Which values units have in groups, where distinct values are counted or added up:
 * put down while units are taken, and gone through in the end.
 *
 * A value is known by 64 bits.  A record begins with a hash
 * of unit and value under the secret, behind a few bits of its group's.  The order of
 * hashes, ties broken by the bytes that follow, is the order of pairs, in which cover.h
 * goes through them.  It is fixed as soon as the secret is drawn: where a pair stands
 * depends on nothing else that there is.
 */

typedef struct DpPairs
{
	DpMemory	memory;
	const DpFiles *files;
	const DpUnitsSpec *spec;
	size_t		group_size;		/* bytes of a group: number or id, or none */
	size_t		unit_size;
	size_t		limit;			/* bytes of memory of a log */
	DpLog	  **log;			/* per measure with values */
} DpPairs;

/* In a record, behind the hash: value, unit and group; and the values that its unit covers already. */
#define DP_PAIR_UNIT_AT (2 * sizeof(uint64_t))

static inline size_t
dp_units_pairs_group_at(const DpPairs *pairs)
{
	return DP_PAIR_UNIT_AT + pairs->unit_size;
}

/* Bytes of all that tells pairs apart, the hash included. */
static inline size_t
dp_units_pairs_identity(const DpPairs *pairs)
{
	return DP_PAIR_UNIT_AT + pairs->unit_size + pairs->group_size;
}

/* Scatter words that follow each other, by a permutation: MurmurHash3's last step. */
static inline uint64_t
dp_units_pairs_scatter(uint64_t x)
{
	x = (x ^ (x >> 33)) * UINT64_C(0xFF51AFD7ED558CCD);
	x = (x ^ (x >> 33)) * UINT64_C(0xC4CEB9FE1A85EC53);
	return x ^ (x >> 33);
}

/* Bits of a group's hash that come first, where there are groups: so many name a log's part. */
#define DP_PAIR_GROUP_BITS 8

/*
 * Where a pair stands, of a value and the unit whose rows have this hash: behind those of
 * other groups, or before, so that a part of a log has all pairs of its groups.
 */
static inline uint64_t
dp_units_pairs_hash(const DpUnitsSpec *spec, const DpUnitId *group, uint64_t unit, int64_t value)
{
	DpUnitId	pair = {{unit, dp_units_pairs_scatter((uint64_t) value)}};
	uint64_t	hash = dp_units_hash(&spec->secret, &pair);
	uint64_t	first;

	if (!spec->grouped)
		return hash;
	first = dp_units_hash(&spec->secret, group) >> (64 - DP_PAIR_GROUP_BITS);
	return first << (64 - DP_PAIR_GROUP_BITS) | hash >> DP_PAIR_GROUP_BITS;
}

/* Without any pairs, to be written to these files; groups are ids, or else numbers. */
extern void dp_units_pairs_create(DpPairs *pairs, const DpMemory *memory, const DpFiles *files,
								  const DpUnitsSpec *spec, bool wide);

extern void dp_units_pairs_destroy(DpPairs *pairs);

/*
 * A value of a unit, known by the hash and the second word that its rows have, in a group: a number
 * in the first word, or an id.  The measure is the one with this number among those with values.
 */
extern void dp_units_pairs_put(DpPairs *pairs, uint32_t measure, const DpUnitId *unit,
							   const DpUnitId *group, int64_t value);

/* Add another process's pairs of a measure, likewise. */
extern void dp_units_pairs_add(DpPairs *pairs, uint32_t measure, DpLog *from);

/* Called with a value that counts in a group. */
typedef void (*DpCoverVisit) (void *context, const DpUnitsMeasure *measure, const DpUnitId *group,
							  int64_t value);

/* Go through what was put, which is used up: each value that counts is passed on once. */
extern void dp_units_cover_values(DpPairs *pairs, DpCoverVisit visit, void *context);

#endif							/* DP_UNITS_COVER_H */
