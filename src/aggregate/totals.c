/*
 * totals.c
 *	  Totals as a value (DpTotals).
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
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
