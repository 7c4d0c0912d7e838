/*
 * grid.h
 *	  From a value to its place on the grid: z = value / 2^grid, rounded to the
 *	  nearest integer, ties to even, limited to +-DP_GRID_LIMIT.
 *
 * Plain C: no server header.  The result is a function of the value and the
 * grid alone, exact for every type, and monotone in the value; infinities go
 * to the limits.  Fast paths are inline and call nothing; whatever they do not
 * cover goes to grid.c.
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
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

#define DP_GRID_LIMIT (INT64_C(1) << 62)
#define DP_GRID_SKIP INT64_MIN	/* what NaN converts to: not a place */

/* Every grid of finite bounds, with room for any admissible epsilon. */
#define DP_GRID_MIN (-1200)
#define DP_GRID_MAX 1200

typedef struct DpGrid
{
	double		scale;			/* 2^-grid; 0 if that is not a normal double */
	int32_t		grid;
} DpGrid;

/* All three: DP_GRID_MIN <= grid <= DP_GRID_MAX. */
extern int64_t dp_aggregate_grid_integer(int64_t value, int grid);
extern int64_t dp_aggregate_grid_double(double value, int grid);
extern int64_t dp_aggregate_grid_numeric(const uint8_t *data, size_t length, int grid);

#define dp_grid_likely(x) __builtin_expect((x) != 0, 1)

/* The grid with its scale factor. */
static inline DpGrid
dp_grid_init(int grid)
{
	DpGrid		result;

	result.scale = grid >= -1023 && grid <= 1022 ? ldexp(1.0, -grid) : 0.0;
	result.grid = grid;
	return result;
}

/* An integer's place; without a call for -62 <= grid <= 0. */
static inline int64_t
dp_grid_integer(int64_t value, const DpGrid *grid)
{
	uint32_t	shift = -(uint32_t) grid->grid;

	if (dp_grid_likely(shift <= 62))
	{
		int64_t		limit = DP_GRID_LIMIT >> shift;

		value = value < limit ? value : limit;
		value = value > -limit ? value : -limit;
		return (int64_t) ((uint64_t) value << shift);
	}
	return dp_aggregate_grid_integer(value, grid->grid);
}

/* Limit to +-DP_GRID_LIMIT and round to nearest even; not NaN. */
static inline int64_t
dp_grid_round(double scaled)
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
 * A double's place, or DP_GRID_SKIP for NaN.  The product is exact unless it
 * overflows (limited) or falls below the normal doubles (rounds to zero).
 */
static inline int64_t
dp_grid_double(double value, const DpGrid *grid)
{
	if (!dp_grid_likely(value == value))
		return DP_GRID_SKIP;
	if (dp_grid_likely(grid->scale != 0.0))
		return dp_grid_round(value * grid->scale);
	return dp_aggregate_grid_double(value, grid->grid);
}

/* The 16-bit word at byte offset 2 * i, at any alignment. */
static inline uint32_t
dp_grid_word(const uint8_t *data, int i)
{
	uint16_t	word;

	memcpy(&word, data + 2 * i, sizeof(word));
	return word;
}

/*
 * A numeric's place, or DP_GRID_SKIP for NaN; `length` >= 2 bytes after the
 * varlena header.  Without a call for short forms below 10^16 on grids from
 * -49 to 0: integer digits are gathered, fraction digits multiplied by
 * 2^shift from the last to the first, which leaves the carry and the exact
 * remainder.
 */
static inline int64_t
dp_grid_numeric(const uint8_t *data, size_t length, const DpGrid *grid)
{
	uint32_t	shift = -(uint32_t) grid->grid;
	uint32_t	header = dp_grid_word(data, 0);
	int			whole = (int) (header & 0x3F) + 1;	/* integer digits */
	int			digits = (int) (length / 2) - 1;
	uint64_t	integer = 0;
	uint64_t	carry = 0;
	uint32_t	remainder = 0;
	uint32_t	sticky = 0;
	int64_t		place;

	whole -= (header & 0x40) ? 0x40 : 0;
	if (!dp_grid_likely((header & 0xC000) == 0x8000 && (uint32_t) whole <= 4 && shift <= 49))
		return dp_aggregate_grid_numeric(data, length, grid->grid);

	for (int i = 0; i < whole; i++)
		integer = integer * 10000 + (i < digits ? dp_grid_word(data, i + 1) : 0);
	for (int i = digits - 1; i >= whole; i--)
	{
		uint64_t	product = ((uint64_t) dp_grid_word(data, i + 1) << shift) + carry;

		sticky |= remainder;
		carry = product / 10000;
		remainder = (uint32_t) (product - carry * 10000);
	}
	if (!dp_grid_likely((integer >> (62 - shift)) == 0))
		place = DP_GRID_LIMIT;
	else
	{
		place = (int64_t) ((integer << shift) + carry);
		place += 2 * remainder + ((sticky != 0) | (place & 1)) > 10000;
	}
	return (header & 0x2000) ? -place : place;
}

#endif							/* DP_AGGREGATE_GRID_H */
