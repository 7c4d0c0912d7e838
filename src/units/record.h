/* SPDX-License-Identifier: PostgreSQL */
/*
 * record.h
 *	  Rows as they are kept: whose they are, the group they fall into, and what they
 *	  bring.
 *
 * Plain C: no server header.  A record begins with the hash of its unit; then come
 * the second word of the unit's id, if it has two, the group, and the data.  These have
 * one of three forms: a place per measure in 32 bits, the same in 64, or an accumulator
 * per measure (accumulate.h).  Rows added up are a record again, in the third form.
 *
 * The hash is a permutation of the id's first word that nobody without the secret can
 * steer, so hash and second word stand for the unit.
 *
 * A group is a number while there are few; else the 128 bits of dp_units_group_id.
 */
#ifndef DP_UNITS_RECORD_H
#define DP_UNITS_RECORD_H

#include "units/accumulate.h"
#include "units/siphash.h"

/* Identity of a unit: one word, or two; and a group, where there are many. */
typedef struct DpUnitId
{
	uint64_t	word[2];
} DpUnitId;

typedef struct DpUnitsSecret
{
	DpSipKey	group;			/* for digests of keys, and their places in memory */
	DpSipKey	unit;			/* for digests of units, made by the owner */
	uint64_t	offset;			/* of hashes; and */
	uint64_t	factor[2];		/* odd, see dp_units_hash */
	uint64_t	second[4];		/* for an id's second word */
} DpUnitsSecret;

typedef struct DpUnitsSpec
{
	int			id_words;		/* 1 or 2 */
	bool		single;			/* each row is all its unit has */
	bool		by_parts;		/* rows come added up */
	bool		grouped;		/* else all rows are in group 0 */
	uint32_t	max_groups;		/* 1 ... 2^20; 1 if not grouped */
	int			processes;		/* that add up rows, at most */
	size_t		limit;			/* bytes of memory to stay below */
	int			measures;
	DpUnitsMeasure *measure;	/* the caller's, laid out here */
	int			acc_size;		/* bytes of accumulators; set by dp_units_lay_out */
	int			places;			/* in a row; likewise */
	int			parts;			/* totals of a group; likewise */
	uint32_t	cells;			/* of all measures; likewise */
	uint32_t	values;			/* measures of distinct values; likewise */
	bool		classifies;		/* is any of classes? likewise */
	DpUnitsSecret secret;
} DpUnitsSpec;

typedef enum DpRecordForm
{
	DP_RECORD_SHORT,			/* 32 bits per place */
	DP_RECORD_LONG,				/* 64 bits per place */
	DP_RECORD_ADDED				/* rows added up */
} DpRecordForm;

#define DP_RECORD_FORMS 3

/* Layout that records of a log have in common. */
typedef struct DpRecords
{
	size_t		identity;		/* bytes that those to be added up share; eight of hash first */
	size_t		data[DP_RECORD_FORMS];	/* bytes behind them */

	/* Add to rows added up; zeros are none.  NULL: each has to be kept. */
	void		(*absorb) (const void *context, uint8_t *added, DpRecordForm form,
						   const uint8_t *data);
	const void *context;
} DpRecords;

/*
 * How memory is shared out: a log of rows, while they are read; a part of it that is
 * taken; and the groups with their totals, of which all processes may know the same.
 */
#define DP_UNITS_LEAST ((size_t) 256 * 1024)

/* Then records of a part, and groups, can be counted in 32 bits, places for them too. */
#define DP_UNITS_MOST_ROOM ((size_t) 16 * 1024 * 1024 * 1024)
#define DP_UNITS_MOST_GROUPS ((size_t) 32 * 1024 * 1024 * 1024)

static inline size_t
dp_units_log_limit(const DpUnitsSpec *spec)
{
	size_t		limit = spec->limit / 8 * 3;

	return limit > DP_UNITS_LEAST ? limit : DP_UNITS_LEAST;
}

static inline size_t
dp_units_room(const DpUnitsSpec *spec)
{
	size_t		room = spec->limit / 4;

	room = room < DP_UNITS_MOST_ROOM ? room : DP_UNITS_MOST_ROOM;
	return room > DP_UNITS_LEAST ? room : DP_UNITS_LEAST;
}

static inline size_t
dp_units_groups_limit(const DpUnitsSpec *spec)
{
	size_t		limit = spec->limit / 8 * 3 / (size_t) spec->processes;

	return limit < DP_UNITS_MOST_GROUPS ? limit : DP_UNITS_MOST_GROUPS;
}

/*
 * For units in a table, where there is one group: what groups would take, but no more than
 * the processor's caches hold.  Beyond that, parts do better.
 */
#define DP_UNITS_MOST_DIRECT ((size_t) 4 * 1024 * 1024)

static inline size_t
dp_units_direct_limit(const DpUnitsSpec *spec)
{
	size_t		limit = spec->limit / 8 * 3;

	return limit < DP_UNITS_MOST_DIRECT ? limit : DP_UNITS_MOST_DIRECT;
}

/* Instead of DP_GRID_NONE, for a place in 32 bits. */
#define DP_SHORT_NONE INT32_MIN

/*
 * An id's second word, so that the difference of two is any 64 bits with the same
 * probability, whoever chose them (Dietzfelbinger, Universal Hashing and k-Wise
 * Independent Random Variables via Integer Arithmetic without Primes, 1996).  Zero
 * stays zero, which spares ids of one word the work.
 */
static inline uint64_t
dp_units_spread(const DpUnitsSecret *secret, uint64_t word)
{
	unsigned __int128 product = (unsigned __int128) word * secret->second[0] + secret->second[1];

	if (word == 0)
		return 0;
	return (uint64_t) (product >> 64) + word * secret->second[2] + secret->second[3];
}

/*
 * Where an id is put: top bits of a product with a secret odd factor, so that two ids
 * share n of them with a probability of at most 2^(1-n), and 2^-64 more if their second
 * words differ, whoever chose them.
 */
static inline uint64_t
dp_units_hash(const DpUnitsSecret *secret, const DpUnitId *id)
{
	uint64_t	x = (id->word[0] + secret->offset) * secret->factor[0];

	x ^= x >> 32;
	x = (x ^ dp_units_spread(secret, id->word[1])) * secret->factor[1];
	return x ^ (x >> 32);
}

/* Set what follows from the measures. */
static inline void
dp_units_lay_out(DpUnitsSpec *spec)
{
	spec->acc_size = spec->places = 0;
	spec->parts = 1;
	spec->cells = 0;
	spec->values = 0;
	spec->classifies = false;
	for (int i = 0; i < spec->measures; i++)
	{
		DpUnitsMeasure *measure = &spec->measure[i];

		measure->offset = spec->acc_size;
		measure->part = spec->parts;
		measure->first_cell = spec->cells;
		spec->cells += measure->cells;
		spec->values += dp_units_has_values(measure);
		spec->classifies |= measure->kind == DP_UNITS_CLASSES;
		measure->place = measure->constant ? -1 : spec->places++;
		spec->acc_size += dp_units_acc_size(measure);
		spec->parts += dp_units_acc_parts(measure);
	}
}

/* Is a unit's every row looked at again, once its groups are chosen? */
static inline bool
dp_units_goes_twice(const DpUnitsSpec *spec)
{
	return spec->cells > 0 || spec->values > 0;
}

/* Does a group's total say that some unit counts in it?  Values come in another process than units. */
static inline bool
dp_units_counts(const DpUnitsSpec *spec, const __int128 *totals)
{
	for (int i = 0; i < (spec->values > 0 ? spec->parts : 1); i++)
		if (totals[i] != 0)
			return true;
	return false;
}

/* Bytes of data in a record of this form. */
static inline size_t
dp_units_record_data_size(const DpUnitsSpec *spec, DpRecordForm form)
{
	switch (form)
	{
		case DP_RECORD_SHORT:
			return spec->places * sizeof(int32_t);
		case DP_RECORD_LONG:
			return spec->places * sizeof(int64_t);
		case DP_RECORD_ADDED:
			break;
	}
	return spec->acc_size;
}

/* Bytes of a group in a record. */
static inline size_t
dp_units_record_group_size(const DpUnitsSpec *spec, bool wide)
{
	return !spec->grouped ? 0 : wide ? sizeof(DpUnitId) : sizeof(uint32_t);
}

/* Where the group is. */
static inline size_t
dp_units_record_group_at(const DpUnitsSpec *spec)
{
	return spec->id_words * sizeof(uint64_t);
}

/* A row's place for a measure; DP_GRID_NONE where its value does not count. */
static DP_ALWAYS_INLINE int64_t
dp_units_record_place(const DpUnitsMeasure *measure, DpRecordForm form, const uint8_t *data)
{
	int32_t		place;

	if (measure->place < 0)
		return 0;
	if (form == DP_RECORD_LONG)
		return (int64_t) dp_units_acc_load64(data + measure->place * sizeof(int64_t));
	place = (int32_t) dp_units_acc_load32(data + measure->place * sizeof(int32_t));
	return place == DP_SHORT_NONE ? DP_GRID_NONE : place;
}

/* Add what a record brings to accumulators. */
static DP_ALWAYS_INLINE void
dp_units_record_absorb(const DpUnitsSpec *spec, uint8_t *acc, DpRecordForm form, const uint8_t *data)
{
	for (int i = 0; i < spec->measures; i++)
	{
		const DpUnitsMeasure *measure = &spec->measure[i];
		int64_t		place;

		if (form == DP_RECORD_ADDED)
		{
			dp_units_acc_combine(measure, acc, data);
			continue;
		}
		place = dp_units_record_place(measure, form, data);
		if (place != DP_GRID_NONE)
			dp_units_acc_add(measure, acc, place);
	}
}

/* Write a place in 32 bits; false if it does not fit. */
static inline bool
dp_units_record_shorten(const DpUnitsMeasure *measure, int64_t place, uint8_t *to)
{
	if (place != DP_GRID_NONE && dp_units_acc_clamps_places(measure))
		place = dp_units_acc_clamp(measure, place);
	if (place != DP_GRID_NONE && (place <= DP_SHORT_NONE || place > INT32_MAX))
		return false;
	dp_units_acc_store32(to, place == DP_GRID_NONE ? (uint32_t) DP_SHORT_NONE : (uint32_t) place);
	return true;
}

/* Write a row's places, one per measure; false if one does not fit the form. */
static DP_ALWAYS_INLINE bool
dp_units_record_put(const DpUnitsSpec *spec, DpRecordForm form, const int64_t *places, uint8_t *data)
{
	for (int i = 0; i < spec->measures; i++)
	{
		const DpUnitsMeasure *measure = &spec->measure[i];

		if (measure->place < 0)
			continue;
		if (form == DP_RECORD_LONG)
			dp_units_acc_store64(data + measure->place * sizeof(int64_t), (uint64_t) places[i]);
		else if (places[i] > DP_SHORT_NONE && places[i] <= INT32_MAX)
			dp_units_acc_store32(data + measure->place * sizeof(int32_t), (uint32_t) places[i]);
		else if (!dp_units_record_shorten(measure, places[i], data + measure->place * sizeof(int32_t)))
			return false;
	}
	return true;
}

/* Copy a few words of four bytes, without a call. */
static DP_ALWAYS_INLINE void
dp_units_record_copy(uint8_t *to, const uint8_t *from, size_t size)
{
	for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t))
	{
		dp_units_acc_store64(to, dp_units_acc_load64(from));
		to += sizeof(uint64_t);
		from += sizeof(uint64_t);
	}
	if (size > 0)
		dp_units_acc_store32(to, dp_units_acc_load32(from));
}

#endif							/* DP_UNITS_RECORD_H */
