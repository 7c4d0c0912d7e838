/* SPDX-License-Identifier: PostgreSQL */
/*
 * record.h
 *	  Rows as they are kept: whose they are, the group they fall into, and what they
 *	  bring.
 *
 * Plain C: no server header.  A record begins with the hash of its unit; then come
 * the second word of the unit's id, if it has two, the group, and the data: a place per
 * measure, or an accumulator per measure (accumulate.h).  The form says how wide they are.
 * A row that does not fit is written in the next form, as all that follow are.  Rows added
 * up are a record again, in the last form.
 *
 * The hash is a permutation of the id's first word that nobody without the secret can
 * steer, so hash and second word stand for the unit.  Ids of 32 bits are permuted among
 * themselves: their hash is the upper half, which is all that a record has of it.
 *
 * A group is a number while there are few; else the 128 bits of dp_units_group_id.
 */
#ifndef DP_UNITS_RECORD_H
#define DP_UNITS_RECORD_H

#include "base/siphash.h"
#include "units/accumulate.h"

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
	bool		small_ids;		/* they are one word that 32 bits tell apart */
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
	DpUnitsSecret secret;
} DpUnitsSpec;

typedef enum DpRecordForm
{
	DP_RECORD_NARROW,			/* 16 bits per place, and for a group's number */
	DP_RECORD_MEDIUM,			/* 32 bits per place, 16 for a number; from now on 32 */
	DP_RECORD_SHORT,			/* 32 bits per place */
	DP_RECORD_LONG,				/* 64 bits per place */
	DP_RECORD_ADDED				/* rows added up */
} DpRecordForm;

#define DP_RECORD_FORMS 5

/* Layout that records of a log have in common. */
typedef struct DpRecords
{
	size_t		identity;		/* bytes that those to be added up share, in words of four; the
								 * hash first */
	size_t		spared;			/* of these, the last: the first two forms do not have them, and
								 * they would be zeros */
	size_t		told;			/* the first of them that tell nearly all identities apart; 0: it
								 * takes all */
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

/* What is left of it for other logs, where so much of it is held. */
static inline size_t
dp_units_left(size_t limit, size_t held)
{
	return limit > held + DP_UNITS_LEAST ? limit - held : DP_UNITS_LEAST;
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

/* Instead of DP_GRID_NONE, for a place in 32 bits, and in 16. */
#define DP_SHORT_NONE INT32_MIN
#define DP_NARROW_NONE INT16_MIN

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

/* A unit as records have it: its hash, and its second word if it has one. */
static DP_ALWAYS_INLINE DpUnitId
dp_units_record_id(const DpUnitsSpec *spec, const DpUnitId *unit)
{
	const DpUnitsSecret *secret = &spec->secret;
	uint64_t	second = spec->id_words == 1 ? 0 : unit->word[1];
	uint32_t	x;

	if (!spec->small_ids)
		return (DpUnitId) {{dp_units_hash(secret, &(DpUnitId) {{unit->word[0], second}}), second}};
	x = ((uint32_t) unit->word[0] + (uint32_t) secret->offset) * (uint32_t) secret->factor[0];
	x = (x ^ x >> 16) * (uint32_t) secret->factor[1];
	return (DpUnitId) {{(uint64_t) (x ^ x >> 16) << 32, 0}};
}

/* Set what follows from the measures. */
static inline void
dp_units_lay_out(DpUnitsSpec *spec)
{
	spec->acc_size = spec->places = 0;
	spec->parts = 1;
	spec->cells = 0;
	spec->values = 0;
	for (int i = 0; i < spec->measures; i++)
	{
		DpUnitsMeasure *measure = &spec->measure[i];

		measure->offset = spec->acc_size;
		measure->part = spec->parts;
		measure->first_cell = spec->cells;
		spec->cells += measure->cells;
		measure->value = spec->values;
		spec->values += dp_units_is_of_values(measure->kind);
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
	if (form == DP_RECORD_ADDED)
		return spec->acc_size;
	return spec->places * (form == DP_RECORD_NARROW ? sizeof(int16_t) : form == DP_RECORD_LONG ? sizeof(int64_t)
						   : sizeof(int32_t));
}

/* Bytes of a group's number. */
static DP_ALWAYS_INLINE size_t
dp_units_record_number_size(const DpUnitsSpec *spec, DpRecordForm form)
{
	return !spec->grouped ? 0 : form <= DP_RECORD_MEDIUM ? sizeof(uint16_t) : sizeof(uint32_t);
}

static DP_ALWAYS_INLINE uint32_t
dp_units_record_number(DpRecordForm form, const uint8_t *at)
{
	uint16_t	number;

	if (form > DP_RECORD_MEDIUM)
		return dp_units_acc_load32(at);
	memcpy(&number, at, sizeof(number));
	return number;
}

/* Bytes of a group in a record, as the wider forms have it. */
static inline size_t
dp_units_record_group_size(const DpUnitsSpec *spec, bool wide)
{
	return !spec->grouped ? 0 : wide ? sizeof(DpUnitId) : sizeof(uint32_t);
}

/* Where the group is. */
static inline size_t
dp_units_record_group_at(const DpUnitsSpec *spec)
{
	return spec->small_ids ? sizeof(uint32_t) : spec->id_words * sizeof(uint64_t);
}

/* Write a record's unit, which is like this. */
static DP_ALWAYS_INLINE void
dp_units_record_put_unit(const DpUnitsSpec *spec, uint8_t *record, const DpUnitId *unit)
{
	if (spec->small_ids)
	{
		dp_units_acc_store32(record, (uint32_t) (unit->word[0] >> 32));
		return;
	}
	dp_units_acc_store64(record, unit->word[0]);
	if (spec->id_words > 1)
		dp_units_acc_store64(record + sizeof(uint64_t), unit->word[1]);
}

/* The unit that a record is of. */
static DP_ALWAYS_INLINE DpUnitId
dp_units_record_unit(const uint8_t *record, bool small, int words)
{
	if (small)
		return (DpUnitId) {{(uint64_t) dp_units_acc_load32(record) << 32, 0}};
	return (DpUnitId) {{dp_units_acc_load64(record), words > 1 ? dp_units_acc_load64(record + sizeof(uint64_t)) : 0}};
}

/* A row's place with this number; DP_GRID_NONE where its value does not count. */
static DP_ALWAYS_INLINE int64_t
dp_units_record_nth_place(DpRecordForm form, const uint8_t *data, int number)
{
	int16_t		narrow;
	int32_t		place;

	if (form == DP_RECORD_LONG)
		return (int64_t) dp_units_acc_load64(data + number * sizeof(int64_t));
	if (form == DP_RECORD_NARROW)
	{
		memcpy(&narrow, data + number * sizeof(narrow), sizeof(narrow));
		return narrow == DP_NARROW_NONE ? DP_GRID_NONE : narrow;
	}
	place = (int32_t) dp_units_acc_load32(data + number * sizeof(int32_t));
	return place == DP_SHORT_NONE ? DP_GRID_NONE : place;
}

/* The same for a measure. */
static DP_ALWAYS_INLINE int64_t
dp_units_record_place(const DpUnitsMeasure *measure, DpRecordForm form, const uint8_t *data)
{
	return measure->place < 0 ? 0 : dp_units_record_nth_place(form, data, measure->place);
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

/* Make a place one that lies above none, and is as far below zero at most as none is; false if it does not fit. */
static inline bool
dp_units_record_shorten(const DpUnitsMeasure *measure, int64_t none, int64_t *place)
{
	if (*place == DP_GRID_NONE)
	{
		*place = none;
		return true;
	}
	if (dp_units_acc_clamps_places(measure))
		*place = dp_units_acc_clamp(measure, *place);
	return *place > none && *place < -none;
}

/* Write a row's places, one per measure; false if one does not fit the form. */
static DP_ALWAYS_INLINE bool
dp_units_record_put(const DpUnitsSpec *spec, DpRecordForm form, const int64_t *places, uint8_t *data)
{
	const int64_t none = form == DP_RECORD_NARROW ? DP_NARROW_NONE : DP_SHORT_NONE;

	for (int i = 0; i < spec->measures; i++)
	{
		const DpUnitsMeasure *measure = &spec->measure[i];
		int64_t		place = places[i];
		int16_t		narrow;

		if (measure->place < 0)
			continue;
		if (form != DP_RECORD_LONG && (place <= none || place >= -none) && !dp_units_record_shorten(measure, none, &place))
			return false;
		narrow = (int16_t) place;
		if (form == DP_RECORD_LONG)
			dp_units_acc_store64(data + measure->place * sizeof(int64_t), (uint64_t) place);
		else if (form == DP_RECORD_NARROW)
			memcpy(data + measure->place * sizeof(narrow), &narrow, sizeof(narrow));
		else
			dp_units_acc_store32(data + measure->place * sizeof(int32_t), (uint32_t) place);
	}
	return true;
}

/* Copy an even number of bytes, a few, without a call. */
static DP_ALWAYS_INLINE void
dp_units_record_copy(uint8_t *to, const uint8_t *from, size_t size)
{
	for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t))
	{
		dp_units_acc_store64(to, dp_units_acc_load64(from));
		to += sizeof(uint64_t);
		from += sizeof(uint64_t);
	}
	if (size & sizeof(uint32_t))
	{
		dp_units_acc_store32(to, dp_units_acc_load32(from));
		to += sizeof(uint32_t);
		from += sizeof(uint32_t);
	}
	if (size & sizeof(uint16_t))
		memcpy(to, from, sizeof(uint16_t));
}

#endif							/* DP_UNITS_RECORD_H */
