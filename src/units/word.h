/*
 * word.h
 *	  What a value of a unit or a key is known by, and where keys are remembered.
 */
#ifndef DP_UNITS_WORD_H
#define DP_UNITS_WORD_H

#include "postgres.h"

#include "catalog/pg_attribute.h"
#include "fmgr.h"

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

/* The bytes that a value by reference consists of. */
static inline const char *
dp_units_bytes(Datum value, Form_pg_attribute attribute, uint32 *length)
{
	struct varlena *bytes;

	if (attribute->attlen > 0)
	{
		*length = attribute->attlen;
		return DatumGetPointer(value);
	}
	if (attribute->attlen != -1)
		elog(ERROR, "unexpected type %u of a unit or key", attribute->atttypid);
	bytes = PG_DETOAST_DATUM_PACKED(value);
	*length = VARSIZE_ANY_EXHDR(bytes);
	return VARDATA_ANY(bytes);
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
