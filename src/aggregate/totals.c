/*
 * totals.c
 *	  Totals as a value (DpTotals).
 */
#include "postgres.h"

#include "fmgr.h"

#include "base/compat.h"
#include "aggregate/state.h"

/* Bytes of a DpTotals of `count` totals. */
static Size
totals_size(int count)
{
	return offsetof(DpTotals, part) + count * 2 * sizeof(int64);
}

/* `count` totals as a value, in the current memory context. */
bytea *
dp_aggregate_make_totals(int count, const __int128 *totals)
{
	DpTotals   *result = palloc(totals_size(count));

	SET_VARSIZE(result, totals_size(count));
	result->padding = 0;
	for (int i = 0; i < count; i++)
	{
		result->part[2 * i] = (int64) totals[i];
		result->part[2 * i + 1] = (int64) (totals[i] >> 64);
	}
	return (bytea *) result;
}

int
dp_aggregate_count_totals(const bytea *value)
{
	Size		size = VARSIZE_ANY_EXHDR(value) + VARHDRSZ;
	Size		part = totals_size(1) - totals_size(0);

	return size < totals_size(0) || (size - totals_size(0)) % part != 0 ? -1
		: (int) ((size - totals_size(0)) / part);
}

/*
 * Read a value of exactly `count` totals, in whatever form a tuple left it.
 * Errors: 22023 if it is of another size.
 */
void
dp_aggregate_read_totals(const bytea *value, int count, __int128 *totals)
{
	const bytea *plain = pg_detoast_datum_packed(unconstify(bytea *, value));
	const char *data = VARDATA_ANY(plain) + offsetof(DpTotals, part) - VARHDRSZ;

	if (VARSIZE_ANY_EXHDR(plain) != totals_size(count) - VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid totals of an exact aggregate")));
	for (int i = 0; i < count; i++)
	{
		uint64		half[2];

		memcpy(half, data + i * sizeof(half), sizeof(half));
		totals[i] = (__int128) (((unsigned __int128) half[1] << 64) | half[0]);
	}
}

/* Least number of bytes that hold a total as a two's complement. */
static int
bytes_of(__int128 total)
{
	int			bytes = 1;

	while (bytes < (int) sizeof(total) && total >> (8 * bytes - 1) != (total < 0 ? -1 : 0))
		bytes++;
	return bytes;
}

/*
 * The same where most totals are 0: of each other one its number, the number of its bytes, and these,
 * the least significant first.
 */
bytea *
dp_aggregate_make_few_totals(int count, const __int128 *totals)
{
	bytea	   *result = palloc(VARHDRSZ + count * (2 + sizeof(__int128)));
	uint8	   *to = (uint8 *) VARDATA(result);

	Assert(count <= PG_UINT8_MAX + 1);
	for (int i = 0; i < count; i++)
	{
		int			bytes = bytes_of(totals[i]);

		if (totals[i] == 0)
			continue;
		*to++ = (uint8) i;
		*to++ = (uint8) bytes;
		for (int j = 0; j < bytes; j++)
			*to++ = (uint8) (totals[i] >> (8 * j));
	}
	SET_VARSIZE(result, to - (uint8 *) result);
	return result;
}

/* Read them, in whatever form a tuple left them.  Errors: 22023 if they are not of so many. */
void
dp_aggregate_read_few_totals(const bytea *value, int count, __int128 *totals)
{
	const bytea *plain = pg_detoast_datum_packed(unconstify(bytea *, value));
	const uint8 *from = (const uint8 *) VARDATA_ANY(plain);
	const uint8 *end = from + VARSIZE_ANY_EXHDR(plain);

	memset(totals, 0, count * sizeof(*totals));
	while (from < end)
	{
		unsigned __int128 total = 0;
		int			number = from[0];
		int			bytes = end - from > 1 ? from[1] : 0;

		if (number >= count || bytes < 1 || bytes > (int) sizeof(total) || end - from < 2 + bytes)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid totals of an exact aggregate")));
		for (int j = 0; j < bytes; j++)
			total |= (unsigned __int128) from[2 + j] << (8 * j);
		if (bytes < (int) sizeof(total) && from[1 + bytes] & 0x80)
			total |= ~(unsigned __int128) 0 << (8 * bytes);
		totals[number] = (__int128) total;
		from += 2 + bytes;
	}
}
