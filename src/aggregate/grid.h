/* SPDX-License-Identifier: PostgreSQL */
/*
 * grid.h
 *	  From a value to its place on the grid: z = value / 2^grid, rounded to the
 *	  nearest integer, ties to even, limited to +-DP_GRID_LIMIT.
 *
 * Plain C: no server header.  The place is a function of the value and the
 * grid alone, exact for every type, and monotone in the value; infinities go
 * to the limits.  Quick paths are inline and call nothing; what they do not
 * cover is for the complete functions in grid.c.
 *
 * A numeric is read as it lies on disk.  What is relied on, for the bytes
 * after the varlena header, in native byte order and at any alignment:
 *
 *	 header & 0xC000 == 0x8000: short form.	 0x2000 is the sign, 0x0040 the
 *		sign of the weight (two's complement) over 0x003F; digits follow.
 *	 header & 0xC000 == 0xC000: special.  0xF000 masks NaN (0xC000),
 *		infinity (0xD000) and -infinity (0xF000).
 *	 otherwise long form: 0x4000 is the sign, the next 16 bits the weight
 *		(signed); digits follow.
 *
 * Digits are 16-bit integers 0 ... 9999; digit i counts 10000^(weight - i).
 * The regression test exact_aggregates compares this with numeric arithmetic.
 */
#ifndef DP_AGGREGATE_GRID_H
#define DP_AGGREGATE_GRID_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

#define DP_GRID_LIMIT (INT64_C(1) << 62)

/* No place: from a complete function for NaN, from a quick one for anything. */
#define DP_GRID_NONE INT64_MIN

/* Every grid of finite bounds, with room for any admissible epsilon. */
#define DP_GRID_MIN (-1200)
#define DP_GRID_MAX 1200

typedef struct DpGrid
{
	double		scale;			/* 2^-grid; NaN if that is not a normal double */
	int32_t		grid;
} DpGrid;

/*
 * The place of any value on any grid, DP_GRID_MIN <= grid <= DP_GRID_MAX; of a
 * numeric, from the length >= 2 bytes after its varlena header.
 */
extern int64_t dp_aggregate_grid_integer(int64_t value, int grid);
extern int64_t dp_aggregate_grid_double(double value, int grid);
extern int64_t dp_aggregate_grid_numeric(const uint8_t *data, size_t length, int grid);

#define dp_grid_likely(x) __builtin_expect((x) != 0, 1)

/* The grid with its scale factor. */
static inline DpGrid
dp_aggregate_grid_init(int grid)
{
	DpGrid		result;

	result.scale = grid >= -1023 && grid <= 1022 ? ldexp(1.0, -grid) : NAN;
	result.grid = grid;
	return result;
}

/* Place of a 32-bit integer if -31 <= grid <= 0. */
static inline int64_t
dp_aggregate_grid_quick_int32(int32_t value, const DpGrid *grid)
{
	uint32_t	shift = -(uint32_t) grid->grid;

	if (!dp_grid_likely(shift <= 31))
		return DP_GRID_NONE;
	return (int64_t) ((uint64_t) (int64_t) value << shift);
}

/* Place of a 64-bit integer if -62 <= grid <= 0. */
static inline int64_t
dp_aggregate_grid_quick_int64(int64_t value, const DpGrid *grid)
{
	uint32_t	shift = -(uint32_t) grid->grid;
	int64_t		limit = DP_GRID_LIMIT >> (shift & 63);

	if (!dp_grid_likely(shift <= 62))
		return DP_GRID_NONE;
	value = value < limit ? value : limit;
	value = value > -limit ? value : -limit;
	return (int64_t) ((uint64_t) value << shift);
}

/* Limit to +-DP_GRID_LIMIT and round to nearest even; not NaN. */
static inline int64_t
dp_aggregate_grid_round(double scaled)
{
	const double limit = (double) DP_GRID_LIMIT;

	scaled = scaled < limit ? scaled : limit;
	scaled = scaled > -limit ? scaled : -limit;
#ifdef __x86_64__
	return _mm_cvtsd_si64(_mm_set_sd(scaled));
#else
	return llrint(scaled);
#endif
}

/*
 * Place of a double other than NaN if the scale is a normal double.  The
 * product is exact unless it overflows (limited) or falls below the normal
 * doubles (rounds to zero).
 */
static inline int64_t
dp_aggregate_grid_quick_double(double value, const DpGrid *grid)
{
	double		scaled = value * grid->scale;

	if (!dp_grid_likely(scaled == scaled))
		return DP_GRID_NONE;
	return dp_aggregate_grid_round(scaled);
}

/* The 16-bit word at byte offset 2 * i, at any alignment. */
static inline uint32_t
dp_aggregate_grid_word(const uint8_t *data, int i)
{
	uint16_t	word;

	memcpy(&word, data + 2 * i, sizeof(word));
	return word;
}

/*
 * Place of a numeric of at most four digits before the point and one after it
 * (16 and 4 decimals), if -50 <= grid <= -5.  Adding a half before the division
 * rounds correctly: digit * 2^shift / 10^4 is no tie, as 10^4 holds only four
 * factors of two.
 */
static inline int64_t
dp_aggregate_grid_quick_numeric(const uint8_t *data, size_t length, const DpGrid *grid)
{
	uint32_t	shift = -(uint32_t) grid->grid;
	uint32_t	header = dp_aggregate_grid_word(data, 0);
	int			whole = (header + 1) & 0x7F;	/* digits before the point */
	int			digits = (int) (length / 2) - 1;
	uint64_t	integer = 0;
	uint64_t	place = 0;
	int			i;

	if (!dp_grid_likely((header & 0xC000) == 0x8000 && whole <= 4 && digits <= whole + 1 &&
						shift - 5 <= 45))
		return DP_GRID_NONE;

	for (i = 1; i <= whole && i <= digits; i++)
		integer = integer * 10000 + dp_aggregate_grid_word(data, i);
	for (; i <= whole; i++)
		integer *= 10000;
	if (!dp_grid_likely((integer >> (62 - shift)) == 0))
		return DP_GRID_NONE;
	if (digits > whole)
		place = (((uint64_t) dp_aggregate_grid_word(data, digits) << shift) + 5000) / 10000;
	place += integer << shift;
	return (header & 0x2000) ? -(int64_t) place : (int64_t) place;
}

#endif							/* DP_AGGREGATE_GRID_H */
