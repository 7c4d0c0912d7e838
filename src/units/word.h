/* SPDX-License-Identifier: PostgreSQL */
/*
 * word.h
 *	  What a unit, or a key, is known by, and where keys are remembered.
 *
 * A unit of a type passed by value is its value, and one of sixteen bytes is these
 * bytes.  Any other is known by a digest of 128 bits under a secret.  Two of 2^32 units
 * share it with a probability of at most 2^-65, whoever chose them.
 */
#ifndef DP_UNITS_WORD_H
#define DP_UNITS_WORD_H

#include "postgres.h"

#include "catalog/pg_attribute.h"
#include "fmgr.h"

#include "base/compat_varlena.h"
#include "units/record.h"

typedef enum DpUnitForm
{
	DP_UNIT_WORD,
	DP_UNIT_TWO_WORDS,
	DP_UNIT_DIGEST
} DpUnitForm;

/* How a unit of this type is known. */
static inline DpUnitForm
dp_units_form(Form_pg_attribute attribute)
{
	if (attribute->attbyval)
		return DP_UNIT_WORD;
	return attribute->attlen == 2 * sizeof(uint64) ? DP_UNIT_TWO_WORDS : DP_UNIT_DIGEST;
}

/*
 * The value with the bits its type, of so many bytes, does not use as its sign says:
 * so most come from a tuple.  Those of calls and constants may have other upper bits,
 * as unsigned numbers have (oid, enums), and so do negative numbers that compiled
 * code has taken from a tuple, in older minor releases.
 */
static inline Datum
dp_units_word(Datum value, int length)
{
	int			unused = (sizeof(Datum) - length) * BITS_PER_BYTE;

	return (Datum) ((int64) ((uint64) value << unused) >> unused);
}

/* The bytes that a value by reference consists of, of a type of this length. */
static inline const char *
dp_units_bytes(Datum value, int16 type_length, uint32 *length)
{
	struct varlena *bytes;

	if (type_length > 0)
	{
		*length = type_length;
		return DatumGetPointer(value);
	}
	if (type_length != -1)
		elog(ERROR, "unexpected type of a unit or key");
	bytes = PG_DETOAST_DATUM_PACKED(value);
	*length = VARSIZE_ANY_EXHDR(bytes);
	return VARDATA_ANY(bytes);
}

/* Word by which a unit, of a type of this form and length, is known. */
static inline DpUnitId
dp_units_id(Datum value, DpUnitForm form, int16 type_length, const DpSipKey *secret)
{
	DpUnitId	id = {{0, 0}};
	uint32		length;
	const char *bytes;

	switch (form)
	{
		case DP_UNIT_WORD:
			id.word[0] = (uint64) dp_units_word(value, type_length);
			break;
		case DP_UNIT_TWO_WORDS:
			memcpy(id.word, DatumGetPointer(value), sizeof(id.word));
			break;
		case DP_UNIT_DIGEST:
			bytes = dp_units_bytes(value, type_length, &length);
			dp_siphash_128(secret, bytes, length, id.word);
			break;
	}
	return id;
}

/* So many keys are remembered with their groups. */
#define DP_KEY_CACHE_BITS 11
#define DP_KEY_CACHE (1 << DP_KEY_CACHE_BITS)

/* Where the key with this word is: keys that share a place only take longer. */
static inline uint32
dp_units_cache_place(uint64 word)
{
	return (uint32) (word * UINT64CONST(0x9E3779B97F4A7C15) >> (64 - DP_KEY_CACHE_BITS));
}

#endif							/* DP_UNITS_WORD_H */
