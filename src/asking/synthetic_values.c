/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthetic_values.c
 *	  A synthetic row as it is released, and the values of its columns.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/date.h"
#include "utils/timestamp.h"

#include "asking/synthetic_values.h"
#include "base/compat_varlena.h"
#include "noise/random.h"

PG_FUNCTION_INFO_V1(dp_asking_synthetic_cell);
PG_FUNCTION_INFO_V1(dp_asking_synthetic_number);
PG_FUNCTION_INFO_V1(dp_asking_synthetic_date);
PG_FUNCTION_INFO_V1(dp_asking_synthetic_timestamp);

#define CELL_BYTES 2
#define FRACTION_BYTES 6
#define FRACTION_BITS (8 * FRACTION_BYTES)

int
dp_asking_synthetic_place(const DpSyntheticColumns *columns, int column)
{
	int			place = 0;

	for (int i = 0; i < column; i++)
		place += CELL_BYTES + (columns->numbers & ((uint32) 1 << i) ? FRACTION_BYTES : 0);
	return place;
}

bytea *
dp_asking_make_synthetic_row(const DpSyntheticColumns *columns)
{
	Size		size = VARHDRSZ + dp_asking_synthetic_place(columns, columns->shape.columns);
	bytea	   *row = palloc0(size);

	SET_VARSIZE(row, size);
	return row;
}

/* Is this the cell for none? */
static bool
is_none(const DpSyntheticColumns *columns, int column, int32 cell)
{
	return columns->nullable & ((uint32) 1 << column) && cell == columns->shape.cells[column] - 1;
}

/* Write the low bytes of a number. */
static char *
write_bytes(char *to, uint64 number, int bytes)
{
	for (int i = 0; i < bytes; i++)
		*to++ = (char) (number >> (8 * i));
	return to;
}

void
dp_asking_set_synthetic_row(bytea *row, const DpSyntheticColumns *columns, const int32 *cell)
{
	char	   *to = VARDATA(row);

	for (int i = 0; i < columns->shape.columns; i++)
	{
		to = write_bytes(to, is_none(columns, i, cell[i]) ? 0 : cell[i] + 1, CELL_BYTES);
		if (columns->numbers & ((uint32) 1 << i))
			to = write_bytes(to, dp_noise_random64(), FRACTION_BYTES);
	}
}

/* Read bytes of a row in argument 0. */
static uint64
read_bytes(FunctionCallInfo fcinfo, int place, int bytes)
{
	const bytea *row = PG_GETARG_BYTEA_PP(0);
	const unsigned char *data = (const unsigned char *) VARDATA_ANY(row);
	uint64		number = 0;

	if (place < 0 || place > (int) VARSIZE_ANY_EXHDR(row) - bytes)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("malformed synthetic row")));
	for (int i = 0; i < bytes; i++)
		number |= (uint64) data[place + i] << (8 * i);
	return number;
}

/* synthetic_cell(row bytea, place): the number of a cell, or NULL. */
Datum
dp_asking_synthetic_cell(PG_FUNCTION_ARGS)
{
	int32		cell = (int32) read_bytes(fcinfo, PG_GETARG_INT32(1), CELL_BYTES);

	if (cell == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT32(cell);
}

/* A value in a bin, from 0, and where in it; false if the value is none. */
static bool
read_value(FunctionCallInfo fcinfo, int32 bins, int32 *bin, uint64 *fraction)
{
	int32		place = PG_GETARG_INT32(1);
	int32		cell = (int32) read_bytes(fcinfo, place, CELL_BYTES);

	if (cell == 0)
		return false;
	*bin = Min(cell, Max(bins, 1)) - 1;
	*fraction = read_bytes(fcinfo, place + CELL_BYTES, FRACTION_BYTES);
	return true;
}

/*
 * The lower end of a bin: buckets.c has each value in the bin whose ends are around it, and computes likewise, so that
 * ends that are whole are so here, too.
 */
static double
end_of(double lower, double upper, int32 bins, int32 bin)
{
	double		width = upper - lower;
	double		share;

	if (bin >= bins)
		return upper;
	if (isfinite(width * bins))
		return lower + width * bin / bins;
	share = (double) bin / bins;
	return lower * (1 - share) + upper * share;
}

/* A whole number of those at the lower end or above it, and below the upper end, or at the last one; the lower end's if there is none. */
static double
whole_between(double low, double high, bool closed, double share)
{
	double		first = ceil(low);
	double		last = closed ? floor(high) : ceil(high) - 1;

	if (last < first)
		return floor(low);
	return Min(first + floor(share * (last - first + 1)), last);
}

/*
 * synthetic_value(row bytea, place, lower, upper float8, bins, whole): a number in the bin of its cell,
 * between the bounds; a whole one if there is one.
 */
Datum
dp_asking_synthetic_number(PG_FUNCTION_ARGS)
{
	double		lower = PG_GETARG_FLOAT8(2);
	double		upper = PG_GETARG_FLOAT8(3);
	int32		bins = PG_GETARG_INT32(4);
	bool		whole = PG_GETARG_BOOL(5);
	double		share;
	double		low;
	double		high;
	int32		bin;
	uint64		fraction;

	if (!read_value(fcinfo, bins, &bin, &fraction))
		PG_RETURN_NULL();
	share = ldexp((double) fraction, -FRACTION_BITS);
	low = end_of(lower, upper, bins, bin);
	high = end_of(lower, upper, bins, bin + 1);
	if (whole)
		PG_RETURN_FLOAT8(whole_between(low, high, bin + 1 >= bins, share));
	PG_RETURN_FLOAT8(Min(Max(low * (1 - share) + high * share, lower), upper));
}

/* The same of dates and times, whole from the lower end of a bin (buckets.c) on. */
static int64
between(FunctionCallInfo fcinfo, int64 lower, int64 upper, int32 bin, uint64 fraction)
{
	int32		bins = Max(PG_GETARG_INT32(4), 1);
	__int128	width = (__int128) upper - lower;
	__int128	first = (width * bin + bins - 1) / bins;
	__int128	last = bin + 1 >= bins ? width : (width * (bin + 1) + bins - 1) / bins - 1;

	if (last < first)
		last = first;
	return (int64) (lower + first + (__int128) (((unsigned __int128) (last - first + 1) * fraction) >> FRACTION_BITS));
}

Datum
dp_asking_synthetic_date(PG_FUNCTION_ARGS)
{
	int32		bin;
	uint64		fraction;

	if (!read_value(fcinfo, PG_GETARG_INT32(4), &bin, &fraction))
		PG_RETURN_NULL();
	PG_RETURN_DATEADT((DateADT) between(fcinfo, PG_GETARG_DATEADT(2), PG_GETARG_DATEADT(3), bin, fraction));
}

Datum
dp_asking_synthetic_timestamp(PG_FUNCTION_ARGS)
{
	int32		bin;
	uint64		fraction;

	if (!read_value(fcinfo, PG_GETARG_INT32(4), &bin, &fraction))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMP(between(fcinfo, PG_GETARG_TIMESTAMP(2), PG_GETARG_TIMESTAMP(3), bin, fraction));
}
