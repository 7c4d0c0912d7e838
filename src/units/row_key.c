/*
 * row_key.c
 *	  Putting keys together, and taking them apart.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/tupmacs.h"
#include "fmgr.h"

#include "base/compat.h"
#include "units/row_key.h"
#include "units/word.h"

/*
 * Longest value of a key, in bytes: as many as a row can have of these fit into what
 * PostgreSQL gives at once.  That one row's did not would be an error that tells.
 */
#define LONGEST_KEY (512 * 1024)

/* Is a value too long for a key? */
static inline bool
is_too_long(Datum value, Form_pg_attribute attribute)
{
	if (attribute->attlen != -1 ||
		(VARATT_IS_SHORT(DatumGetPointer(value)) && !VARATT_IS_EXTERNAL(DatumGetPointer(value))))
		return false;
	return toast_raw_datum_size(value) > LONGEST_KEY;
}

/* Append bytes; where their number is known, without a call. */
static pg_attribute_always_inline void
append(StringInfo key, const void *bytes, uint32 length)
{
	if (unlikely((uint32) (key->maxlen - key->len) <= length))
		enlargeStringInfo(key, length);
	memcpy(key->data + key->len, bytes, length);
	key->len += length;
}

void
dp_row_key_form(DpRowKey *row_key)
{
	StringInfo	key = &row_key->bytes;

	resetStringInfo(key);
	for (int i = 0; i < row_key->columns; i++)
	{
		Form_pg_attribute attribute = dp_source_type(row_key->source, row_key->first + i);
		const char *bytes;
		uint32		length;
		Datum		value = 0;
		char		word[sizeof(Datum)];
		bool		there = !dp_source_is_null(row_key->source, row_key->first + i);

		if (there)
		{
			value = dp_source_value(row_key->source, row_key->first + i);
			there = !is_too_long(value, attribute);
		}
		append(key, &there, sizeof(there));
		if (!there)
			continue;
		if (attribute->attbyval)
		{
			store_att_byval(word, value, attribute->attlen);
			append(key, word, attribute->attlen);
			continue;
		}
		bytes = dp_units_bytes(value, attribute->attlen, &length);
		if (attribute->attlen == -1)
			append(key, &length, sizeof(length));
		append(key, bytes, length);
	}
}

void
dp_row_key_read(const DpRowKey *key, const uint8_t *bytes, Datum *values, bool *isnull)
{
	for (int i = 0; i < key->columns; i++)
	{
		Form_pg_attribute attribute = dp_source_type(key->source, key->first + i);
		uint32		length = attribute->attlen;
		char	   *value;

		isnull[i] = *bytes++ == 0;
		values[i] = (Datum) 0;
		if (isnull[i])
			continue;
		if (attribute->attbyval)
		{
			char		word[sizeof(Datum)];

			memcpy(word, bytes, length);
			values[i] = fetch_att(word, true, length);
			bytes += length;
			continue;
		}
		if (attribute->attlen == -1)
		{
			memcpy(&length, bytes, sizeof(length));
			bytes += sizeof(length);
			value = palloc(VARHDRSZ + (Size) length);
			SET_VARSIZE(value, VARHDRSZ + (Size) length);
			memcpy(VARDATA(value), bytes, length);
		}
		else
			value = memcpy(palloc(length), bytes, length);
		bytes += length;
		values[i] = PointerGetDatum(value);
	}
}
