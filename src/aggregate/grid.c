/* SPDX-License-Identifier: PostgreSQL */
/*
 * grid.c
 *	  From a value to its place on the grid: every case.
 *
 * Plain C: no server header.  Exact for every value; work and stack space are
 * bounded by the grid, not by the length of a numeric, apart from one look at
 * each of its digits.
 */
#include <stdbool.h>

#include "aggregate/grid.h"

/* 2^(62 + DP_GRID_MAX) has fewer bits, even with a digit to spare. */
#define COARSE_LIMBS 24

/* A fraction digit decides nothing beyond -DP_GRID_MIN + 1 decimals. */
#define FINE_DIGITS ((-DP_GRID_MIN + 4) / 4)

/* A finite numeric, without its sign: digit i counts 10000^(weight - i). */
typedef struct Decimal
{
	const uint8_t *data;
	int			digits;
	int			weight;
} Decimal;

/* value / 2^grid for grid > 0, with the bits shifted out deciding. */
static uint64_t
round_shift(uint64_t value, int grid)
{
	uint64_t	floor;
	uint64_t	rest;
	uint64_t	half;

	if (grid > 64)
		return 0;
	half = UINT64_C(1) << (grid - 1);
	floor = grid == 64 ? 0 : value >> grid;
	rest = grid == 64 ? value : value & (2 * half - 1);
	return floor + (rest > half || (rest == half && (floor & 1)));
}

/* The place of an integer on any grid. */
int64_t
dp_aggregate_grid_integer(int64_t value, int grid)
{
	uint64_t	magnitude = value < 0 ? -(uint64_t) value : (uint64_t) value;
	uint64_t	place;

	if (grid > 0)
		place = round_shift(magnitude, grid);
	else if (magnitude == 0)
		place = 0;
	else if (grid < -62 || magnitude > (uint64_t) DP_GRID_LIMIT >> -grid)
		place = DP_GRID_LIMIT;
	else
		place = magnitude << -grid;
	if (place > (uint64_t) DP_GRID_LIMIT)
		place = DP_GRID_LIMIT;
	return value < 0 ? -(int64_t) place : (int64_t) place;
}

/* The place of a double on any grid. */
int64_t
dp_aggregate_grid_double(double value, int grid)
{
	if (value != value)
		return DP_GRID_NONE;
	return dp_aggregate_grid_round(ldexp(value, -grid));
}

/* Digit i, zero where the numeric stores none. */
static uint32_t
digit(const Decimal *value, int i)
{
	return i >= 0 && i < value->digits ? dp_aggregate_grid_word(value->data, i) : 0;
}

/* Is any digit from the i-th on not zero? */
static bool
any_digit(const Decimal *value, int i)
{
	for (i = i < 0 ? 0 : i; i < value->digits; i++)
		if (digit(value, i) != 0)
			return true;
	return false;
}

/* fraction *= 2^step, 0 <= step <= 48; returns the integer part. */
static uint64_t
scale_fraction(uint16_t *fraction, int digits, int step)
{
	uint64_t	carry = 0;

	for (int i = digits - 1; i >= 0; i--)
	{
		uint64_t	product = ((uint64_t) fraction[i] << step) + carry;

		carry = product / 10000;
		fraction[i] = (uint16_t) (product % 10000);
	}
	return carry;
}

/*
 * Place of a positive value below 10^16 and at least 10^-4 on a grid of
 * 2^-shift, shift <= 49.  Fraction digits are multiplied by 2^shift from the
 * last to the first, which leaves the carry and the exact remainder.
 */
static int64_t
place_short(const Decimal *value, int shift)
{
	uint64_t	place = 0;
	uint64_t	carry = 0;
	uint32_t	remainder = 0;
	bool		sticky = false;

	for (int i = 0; i <= value->weight; i++)
		place = place * 10000 + digit(value, i);
	if (place >> (62 - shift) != 0)
		return DP_GRID_LIMIT;
	for (int i = value->digits - 1; i > value->weight; i--)
	{
		uint64_t	product = ((uint64_t) digit(value, i) << shift) + carry;

		sticky = sticky || remainder != 0;
		carry = product / 10000;
		remainder = (uint32_t) (product - carry * 10000);
	}
	place = (place << shift) + carry;
	return (int64_t) (place + (2 * remainder + (sticky || (place & 1)) > 10000));
}

/*
 * Place of a positive value on a grid of 2^-shift, shift >= 0.
 *
 * A tie has at most shift + 1 decimals, and so have the borders between
 * floors: it is exact to cut the fraction there and to remember only whether
 * anything was cut.
 */
static int64_t
place_fine(const Decimal *value, int shift)
{
	uint16_t	fraction[FINE_DIGITS];
	int			kept = (shift + 4) / 4;
	bool		sticky;
	uint64_t	place = 0;

	for (int i = 0; i <= value->weight; i++)
	{
		if (place > (uint64_t) DP_GRID_LIMIT / 10000)
			return DP_GRID_LIMIT;
		place = place * 10000 + digit(value, i);
	}
	for (int i = 0; i < kept; i++)
		fraction[i] = (uint16_t) digit(value, value->weight + 1 + i);
	sticky = any_digit(value, value->weight + 1 + kept);

	for (int left = shift; left > 0; left -= 48)
	{
		int			step = left < 48 ? left : 48;

		if (place > (uint64_t) DP_GRID_LIMIT >> step)
			return DP_GRID_LIMIT;
		place = (place << step) + scale_fraction(fraction, kept, step);
	}
	if (place >= (uint64_t) DP_GRID_LIMIT)
		return DP_GRID_LIMIT;
	for (int i = 1; i < kept; i++)
		sticky = sticky || fraction[i] != 0;
	/* One digit at least. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
	return (int64_t) (place + (2 * fraction[0] + (sticky || (place & 1)) > 10000));
}

/* The integer part in limbs of 64 bits, least first. */
static void
gather_limbs(uint64_t *limbs, const Decimal *value)
{
	int			used = (14 * (value->weight + 1) + 63) / 64;

	for (int i = 0; i <= value->weight; i++)
	{
		unsigned __int128 carry = digit(value, i);

		for (int j = 0; j < used; j++)
		{
			carry += (unsigned __int128) limbs[j] * 10000;
			limbs[j] = (uint64_t) carry;
			carry >>= 64;
		}
	}
}

/* Place of a positive value on a grid of 2^grid, grid > 0. */
static int64_t
place_coarse(const Decimal *value, int grid)
{
	uint64_t	limbs[COARSE_LIMBS] = {0};
	int			word = grid / 64;
	int			bit = grid % 64;
	int			below = (grid - 1) / 64;
	uint64_t	half = UINT64_C(1) << ((grid - 1) % 64);
	bool		sticky = any_digit(value, value->weight + 1);
	uint64_t	place;
	uint64_t	beyond;

	if (value->weight < 0)
		return 0;
	if (13 * value->weight > 62 + grid)
		return DP_GRID_LIMIT;	/* 10000 > 2^13 */
	gather_limbs(limbs, value);

	place = limbs[word] >> bit;
	place |= bit == 0 ? 0 : limbs[word + 1] << (64 - bit);
	beyond = bit == 0 ? limbs[word + 1] : limbs[word + 1] >> bit;
	for (int i = word + 2; i < COARSE_LIMBS; i++)
		beyond |= limbs[i];
	if (beyond != 0 || place >= (uint64_t) DP_GRID_LIMIT)
		return DP_GRID_LIMIT;

	sticky = sticky || (limbs[below] & (half - 1)) != 0;
	for (int i = 0; i < below; i++)
		sticky = sticky || limbs[i] != 0;
	return (int64_t) (place + ((limbs[below] & half) != 0 && (sticky || (place & 1))));
}

/* The place of any numeric on any grid. */
int64_t
dp_aggregate_grid_numeric(const uint8_t *data, size_t length, int grid)
{
	uint32_t	header = dp_aggregate_grid_word(data, 0);
	bool		is_short = (header & 0xC000) == 0x8000;
	bool		negative;
	Decimal		value;
	int64_t		place;

	if ((header & 0xC000) == 0xC000)
		return (header & 0xF000) == 0xD000 ? DP_GRID_LIMIT :
			(header & 0xF000) == 0xF000 ? -DP_GRID_LIMIT : DP_GRID_NONE;
	if (!is_short && length < 4)
		return DP_GRID_NONE;

	negative = (header & (is_short ? 0x2000 : 0x4000)) != 0;
	value.weight = is_short ? (int) (header & 0x3F) - (int) (header & 0x40) :
		(int16_t) dp_aggregate_grid_word(data, 1);
	value.data = data + (is_short ? 2 : 4);
	value.digits = (int) (length / 2) - (is_short ? 1 : 2);
	while (value.digits > 0 && digit(&value, 0) == 0)
	{
		value.data += 2;
		value.digits--;
		value.weight--;
	}
	if (value.digits == 0)
		return 0;
	if (grid > 0)
		place = place_coarse(&value, grid);
	else if (grid >= -49 && value.weight >= -1 && value.weight <= 3)
		place = place_short(&value, -grid);
	else
		place = place_fine(&value, -grid);
	return negative ? -place : place;
}
