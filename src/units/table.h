/*
 * table.h
 *	  The rows of all units, added up per unit and group in one pass over rows
 *	  in any order: a hash table of units, one cache line each in the common
 *	  case, with the groups a unit falls into and what its rows add up to there.
 *
 * Plain C: no server header.
 *
 * A unit keeps at most max_groups groups.  The priority of a group is a
 * pseudo-random function, under a secret drawn afresh for each execution, of
 * unit and group; the groups of least priority are kept.  So to anybody who
 * does not know the secret the choice is uniform among all sets of max_groups of
 * the unit's groups, independent of those of other units, and depends on nothing
 * but which groups the unit falls into: not on its rows' number, order or
 * values.  One pass does: the greatest priority kept only falls, so a group
 * dropped once would be dropped whenever it came again.  For the same reason
 * parts of the rows can be added up apart, under one secret, and combined.
 *
 * SipHash-2-4 is enough: the choice needs to look uniform to an observer of
 * noisy totals, who sees no output of it and cannot ask for one; distinguishing
 * it from a random function takes, as far as is known, about 2^128 steps.  Equal
 * priorities, of probability 2^-64 a pair, cannot break the limit.
 *
 * Memory: dp_units_is_full says when the limit is reached.  The owner then
 * either finishes the units, if all their rows are in, or takes everything out
 * with dp_units_dump and puts it back with dp_units_combine, a part at a time.
 */
#ifndef DP_UNITS_TABLE_H
#define DP_UNITS_TABLE_H

#include "units/accumulate.h"
#include "units/groups.h"

/* Rows that are put in together: their cache lines arrive meanwhile. */
#define DP_UNITS_BATCH 64

/* Most groups before the table counts as full. */
#define DP_UNITS_MOST_GROUPS (UINT32_C(1) << 28)

/* What a unit is known by: one word, or two. */
typedef struct DpUnitId
{
	uint64_t	word[2];
} DpUnitId;

/*
 * A permutation of an id's first word that nobody without the seed can steer: where
 * an id is put.
 */
#define DP_UNITS_FACTOR UINT64_C(0xD6E8FEB86659FD93)

static inline uint64_t
dp_units_hash(uint64_t seed, const DpUnitId *id)
{
	uint64_t	x = id->word[0] + seed;

	x ^= x >> 32;
	x *= DP_UNITS_FACTOR;
	x ^= id->word[1];
	x ^= x >> 32;
	x *= DP_UNITS_FACTOR;
	return x ^ (x >> 32);
}

/* The first word of the id that has this hash and this second word. */
#define DP_UNITS_INVERSE UINT64_C(0xCFEE444D8B59A89B)

static inline uint64_t
dp_units_unhash(uint64_t seed, uint64_t hash, uint64_t second)
{
	uint64_t	x = hash ^ (hash >> 32);

	x *= DP_UNITS_INVERSE;
	x ^= x >> 32;
	x ^= second;
	x *= DP_UNITS_INVERSE;
	return (x ^ (x >> 32)) - seed;
}

/* An id with its hash for a first word; one of one word has a zero for the other. */
static inline DpUnitId
dp_units_hashed(uint64_t seed, int id_words, const DpUnitId *id)
{
	DpUnitId	unit = {{id->word[0], id_words == 1 ? 0 : id->word[1]}};

	unit.word[0] = dp_units_hash(seed, &unit);
	return unit;
}

typedef struct DpUnitsSecret
{
	DpSipKey	priority;
	DpSipKey	group;
	DpSipKey	unit;			/* for digests of units, made by the owner */
	uint64_t	place;			/* of units in the table */
} DpUnitsSecret;

typedef struct DpUnitsSpec
{
	int			id_words;		/* 1 or 2 */
	bool		grouped;		/* else all rows are in group 0 */
	uint32_t	max_groups;		/* 1 ... 2^20; 1 if not grouped */
	size_t		limit;			/* bytes of memory to stay below */
	int			measures;
	DpUnitsMeasure *measure;	/* the caller's, laid out here */
	DpUnitsSecret secret;
} DpUnitsSpec;

typedef struct DpUnits DpUnits;

/* Where units taken out go: one of them in one group. */
typedef struct DpUnitsSink
{
	void		(*take) (struct DpUnitsSink *sink, const DpUnitId *id, uint32_t partition,
						 const DpUnitsGroups *groups, uint32_t group, const uint8_t *accumulators);
	int			partition_bits; /* partitions are numbered by so many bits */
} DpUnitsSink;

/* Set the places of accumulators and totals; the number of totals of a group. */
extern int	dp_units_lay_out(DpUnitsSpec *spec, int *accumulators);

/* An empty table; everything it holds comes from memory. */
extern DpUnits *dp_units_create(DpUnitsSpec *spec, const DpUnitsMemory *memory);

/* Give back all its memory. */
extern void dp_units_destroy(DpUnits *units);

/* The groups, for the owner to intern keys in and to read totals from. */
extern DpUnitsGroups *dp_units_groups(DpUnits *units);

/*
 * Add a row: its places, one per measure, DP_GRID_NONE where the value does not
 * count.  Then either more rows, or flush, which must be if it returns true.
 */
extern bool dp_units_add(DpUnits *units, const DpUnitId *id, uint32_t group,
						 const int64_t *places);

/* The same for rows added up before: accumulators that a sink took. */
extern void dp_units_combine(DpUnits *units, const DpUnitId *id, uint32_t group,
							 const uint8_t *accumulators);

/* The same for a hashed id, under the secret of places. */
extern bool dp_units_add_hashed(DpUnits *units, const DpUnitId *unit, uint32_t group,
								const int64_t *places);

/*
 * How rows are packed for another table of the same form and secret (held.h); add such
 * a row, its group being this one.
 */
struct DpHeld;
extern const struct DpHeld *dp_units_packing(const DpUnits *units);
extern bool dp_units_add_packed(DpUnits *units, const uint8_t *row, uint32_t group);

/* Must it be flushed before another row is added? */
extern bool dp_units_must_flush(const DpUnits *units);

/*
 * Hold rows back by parts of the table, as it does by itself once it is large.  No
 * row may be held back.
 */
extern void dp_units_divide(DpUnits *units);

/* Put rows held back into the table, at least so many that more can be added. */
extern void dp_units_flush(DpUnits *units);

/* Put in all rows held back; or return false as soon as the table is full. */
extern bool dp_units_settle(DpUnits *units);

/* Is the limit reached? */
extern bool dp_units_is_full(const DpUnits *units);

/* Number of units in the table. */
extern uint64_t dp_units_count(const DpUnits *units);

/* Add every unit's contributions to the totals of its groups; empty the table. */
extern void dp_units_finish(DpUnits *units);

/*
 * Hand everything to the sink, partition after partition, each unit's groups one
 * after the other; empty the table.  Groups, whose totals must have been read
 * before, are forgotten if they take much of the memory.
 */
extern void dp_units_dump(DpUnits *units, DpUnitsSink *sink);

/*
 * Number the partitions of units by other bits than before: for the units of
 * one partition, which have the same bits in common.  The table must be empty; as
 * these are fewer, it begins anew.
 */
extern void dp_units_set_level(DpUnits *units, int level);

#endif							/* DP_UNITS_TABLE_H */
