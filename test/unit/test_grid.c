/*
 * test_grid.c
 *	  Places on the grid against exact arithmetic, for every type.
 *
 * The oracle knows nothing of how places are found: for magnitude x and place
 * z it checks (2z - 1) * 2^grid <= 2x <= (2z + 1) * 2^grid, with equality only
 * for even z, in natural numbers of a few thousand bits.  Inputs are random,
 * but what is claimed holds for all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tap.h"

#include "aggregate/grid.c"

#define LIMBS 320
#define MAX_DIGITS 340

static uint64_t random_state;

static uint64_t
random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static int
random_between(int least, int most)
{
	return least + (int) (random64() % (uint64_t) (most - least + 1));
}

/* A natural number, in limbs of 32 bits, least first; none above `used`. */
typedef struct Natural
{
	int			used;
	uint32_t	limb[LIMBS];
} Natural;

static Natural
natural(uint64_t value)
{
	Natural		result;

	result.used = 2;
	result.limb[0] = (uint32_t) value;
	result.limb[1] = (uint32_t) (value >> 32);
	return result;
}

/* number = number * factor + addend */
static void
multiply(Natural *number, uint32_t factor, uint32_t addend)
{
	uint64_t	carry = addend;

	for (int i = 0; i < number->used; i++)
	{
		carry += (uint64_t) number->limb[i] * factor;
		number->limb[i] = (uint32_t) carry;
		carry >>= 32;
	}
	if (carry == 0)
		return;
	if (number->used == LIMBS)
		abort();
	number->limb[number->used++] = (uint32_t) carry;
}

static void
multiply_power(Natural *number, uint32_t factor, int power)
{
	while (power-- > 0)
		multiply(number, factor, 0);
}

static int
compare(const Natural *a, const Natural *b)
{
	for (int i = (a->used > b->used ? a->used : b->used) - 1; i >= 0; i--)
	{
		uint32_t	x = i < a->used ? a->limb[i] : 0;
		uint32_t	y = i < b->used ? b->limb[i] : 0;

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/*
 * Is z the place of magnitude * 2^twos / 10^tens on the grid?
 */
static bool
is_place(Natural magnitude, int twos, int tens, int grid, int64_t z)
{
	Natural		below = natural(z == 0 ? 0 : 2 * (uint64_t) z - 1);
	Natural		above = natural(2 * (uint64_t) z + 1);
	int			shift = twos - grid;
	int			low;
	int			high;

	multiply_power(&magnitude, 2, shift > 0 ? shift + 1 : 1);
	multiply_power(&below, 2, shift < 0 ? -shift : 0);
	multiply_power(&below, 10, tens);
	multiply_power(&above, 2, shift < 0 ? -shift : 0);
	multiply_power(&above, 10, tens);
	low = compare(&below, &magnitude);
	high = compare(&magnitude, &above);
	if (z == DP_GRID_LIMIT)
		return low <= 0;
	return z >= 0 && z < DP_GRID_LIMIT &&
		(low < 0 || (low == 0 && z % 2 == 0)) && (high < 0 || (high == 0 && z % 2 == 0));
}

/* A numeric as PostgreSQL lays it out. */
typedef struct Numeric
{
	bool		negative;
	int			weight;
	int			digits;
	uint16_t	digit[MAX_DIGITS];
} Numeric;

/* Its bytes, in a buffer of exactly their size, so that a read beyond shows. */
static uint8_t *
encode(const Numeric *value, bool is_long, size_t *length)
{
	uint16_t	header[2];
	size_t		header_size = is_long ? 4 : 2;
	uint8_t    *data;

	if (is_long)
	{
		header[0] = value->negative ? 0x4000 : 0;
		header[1] = (uint16_t) value->weight;
	}
	else
		header[0] = (uint16_t) (0x8000 | (value->negative ? 0x2000 : 0) |
								(value->weight < 0 ? 0x0040 : 0) | (value->weight & 0x3F));
	*length = header_size + 2 * (size_t) value->digits;
	data = malloc(*length);
	memcpy(data, header, header_size);
	memcpy(data + header_size, value->digit, 2 * (size_t) value->digits);
	return data;
}

/* Does the quick path, where it answers, say the same? */
static bool
quick_agrees(const uint8_t *data, size_t length, int grid, int64_t place)
{
	DpGrid		prepared = dp_aggregate_grid_init(grid);
	int64_t		quick = dp_aggregate_grid_quick_numeric(data, length, &prepared);

	return quick == DP_GRID_NONE || quick == place;
}

static bool
check_numeric(const Numeric *value, int grid)
{
	int			tens = 4 * (value->digits - 1 - value->weight);
	Natural		magnitude = natural(0);
	bool		can_be_short = value->weight >= -64 && value->weight <= 63;
	bool		good = true;

	for (int i = 0; i < value->digits; i++)
		multiply(&magnitude, 10000, value->digit[i]);
	if (tens < 0)
		multiply_power(&magnitude, 10, -tens);
	for (int is_long = !can_be_short; is_long <= 1; is_long++)
	{
		size_t		length;
		uint8_t    *data = encode(value, is_long, &length);
		int64_t		place = dp_aggregate_grid_numeric(data, length, grid);

		good = good && place >= -DP_GRID_LIMIT && (place == 0 || (place < 0) == value->negative) &&
			is_place(magnitude, 0, tens > 0 ? tens : 0, grid, place < 0 ? -place : place) &&
			quick_agrees(data, length, grid, place);
		free(data);
	}
	return good;
}

/* Random digits, some of them runs of zeros and nines, about the given weight. */
static void
random_numeric(Numeric *value, int weight, int digits)
{
	value->negative = random64() & 1;
	value->weight = weight;
	value->digits = digits;
	for (int i = 0; i < digits; i++)
		value->digit[i] = (uint16_t) (random64() % 4 == 0 ? (random64() & 1 ? 0 : 9999) :
									  random64() % 4 == 0 ? random64() % 10 : random64() % 10000);
	if (digits > 0 && value->digit[0] == 0 && random64() % 4 != 0)
		value->digit[0] = 1;
}

static void
test_numeric_random(void)
{
	bool		ordinary = true;
	bool		extreme = true;
	Numeric		value;

	for (int i = 0; i < 20000; i++)
	{
		random_numeric(&value, random_between(-2, 4), random_between(0, 6));
		ordinary = ordinary && check_numeric(&value, random_between(-64, 64));
	}
	ok(ordinary, "numerics of ordinary size, grids -64 to 64");
	for (int i = 0; i < 2000; i++)
	{
		int			grid = random_between(DP_GRID_MIN, DP_GRID_MAX);

		/* about the size at which places are neither zero nor at the limit */
		random_numeric(&value, grid * 10 / 133 + random_between(-2, 6), random_between(0, 8));
		extreme = extreme && check_numeric(&value, grid);
	}
	ok(extreme, "numerics about 2^grid, every grid");
}

/*
 * odd / 2^(shift + 1), which lies halfway between two places on the grid
 * 2^-shift: odd * 5^(shift + 1) / 10^(shift + 1).
 */
static void
tie_numeric(Numeric *value, uint32_t odd, int shift)
{
	int			digits = (shift + 4) / 4;	/* after the point */
	Natural		scaled = natural(odd);

	multiply_power(&scaled, 5, shift + 1);
	multiply_power(&scaled, 10, 4 * digits - shift - 1);
	value->negative = false;
	value->weight = 2;
	value->digits = digits + 3;
	for (int i = value->digits - 1; i >= 0; i--)
	{
		uint64_t	rest = 0;

		for (int j = scaled.used - 1; j >= 0; j--)
		{
			rest = rest << 32 | scaled.limb[j];
			scaled.limb[j] = (uint32_t) (rest / 10000);
			rest %= 10000;
		}
		value->digit[i] = (uint16_t) rest;
	}
}

static void
test_numeric_ties(void)
{
	bool		exact = true;
	bool		above = true;
	bool		below = true;
	Numeric		value;

	for (int i = 0; i < 4 * 80; i++)
	{
		int			shift = i / 4 < 64 ? i / 4 : 64 + 71 * (i / 4 - 64);

		tie_numeric(&value, (uint32_t) random64() | 1, shift);
		exact = exact && check_numeric(&value, -shift);
		value.digits += 5;
		memset(value.digit + value.digits - 5, 0, 5 * sizeof(uint16_t));
		value.digit[value.digits - 1] = 1;
		above = above && check_numeric(&value, -shift);
		value.digits -= 5;
		value.digit[value.digits - 1]++;
		above = above && check_numeric(&value, -shift);
		value.digit[value.digits - 1] -= 2;
		below = below && check_numeric(&value, -shift);
	}
	ok(exact, "numeric ties go to even");
	ok(above, "numerics above a tie by a last digit, its own or a further one");
	ok(below, "numerics below a tie by the last digit");
}

static void
test_numeric_special(void)
{
	static const uint16_t headers[] = {0xC000, 0xD000, 0xF000, 0x8000, 0x0000};
	static const int64_t expected[] = {DP_GRID_NONE, DP_GRID_LIMIT, -DP_GRID_LIMIT, 0, DP_GRID_NONE};
	bool		good = true;

	for (int i = 0; i < 5; i++)
	{
		uint8_t    *data = malloc(2);

		memcpy(data, &headers[i], 2);
		good = good && dp_aggregate_grid_numeric(data, 2, -20) == expected[i] &&
			(quick_agrees(data, 2, -20, expected[i]));
		free(data);
	}
	ok(good, "NaN, infinities, zero and a truncated numeric");

	for (int i = 0; i < 200000; i++)
	{
		size_t		length = 2 + random64() % 15;
		uint8_t    *data = malloc(length);
		DpGrid		grid = dp_aggregate_grid_init(random_between(DP_GRID_MIN, DP_GRID_MAX));

		for (size_t j = 0; j < length; j++)
			data[j] = (uint8_t) random64();
		(void) dp_aggregate_grid_quick_numeric(data, length, &grid);
		(void) dp_aggregate_grid_numeric(data, length, grid.grid);
		free(data);
	}
	ok(true, "hostile numerics are survived");
}

static bool
check_integer(int64_t value, int grid)
{
	uint64_t	magnitude = value < 0 ? -(uint64_t) value : (uint64_t) value;
	int64_t		place = dp_aggregate_grid_integer(value, grid);
	DpGrid		prepared = dp_aggregate_grid_init(grid);
	int64_t		quick = dp_aggregate_grid_quick_int64(value, &prepared);
	int64_t		quick32 = dp_aggregate_grid_quick_int32((int32_t) value, &prepared);

	return (place == 0 || (place < 0) == (value < 0)) &&
		is_place(natural(magnitude), 0, 0, grid, place < 0 ? -place : place) &&
		(quick == place || (quick == DP_GRID_NONE && (grid > 0 || grid < -62))) &&
		(value != (int32_t) value || quick32 == place ||
		 (quick32 == DP_GRID_NONE && (grid > 0 || grid < -31)));
}

static void
test_integer(void)
{
	static const int64_t edges[] = {0, 1, -1, 2, 3, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN,
		INT64_MIN + 1, DP_GRID_LIMIT, -DP_GRID_LIMIT, DP_GRID_LIMIT + 1, DP_GRID_LIMIT - 1,
	(INT64_C(1) << 53) + 1};
	static const int far[] = {DP_GRID_MIN, DP_GRID_MAX};
	bool		good = true;

	for (int grid = -66; grid <= 66; grid++)
	{
		for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
			good = good && check_integer(edges[i], grid);
		for (int i = 0; i < 50; i++)
			good = good && check_integer((int64_t) random64() >> random_between(0, 63), grid);
	}
	for (int i = 0; i < 2; i++)
		for (size_t j = 0; j < sizeof(edges) / sizeof(edges[0]); j++)
			good = good && check_integer(edges[j], far[i]);
	ok(good, "integers, edges and random, every grid that matters");
}

/* Against value = magnitude * 2^exponent, taken apart from its bits. */
static bool
check_double(double value, int grid)
{
	DpGrid		prepared = dp_aggregate_grid_init(grid);
	int64_t		place = dp_aggregate_grid_double(value, grid);
	int64_t		quick = dp_aggregate_grid_quick_double(value, &prepared);
	uint64_t	bits;
	uint64_t	magnitude;
	int			exponent;

	memcpy(&bits, &value, sizeof(bits));
	magnitude = bits & ((UINT64_C(1) << 52) - 1);
	exponent = (int) (bits >> 52 & 0x7FF);
	if (exponent == 0)
		exponent = 1;
	else
		magnitude |= UINT64_C(1) << 52;
	exponent -= 1075;
	if (exponent - grid > 200)	/* keep the oracle small */
		return (magnitude == 0 ? place == 0 : llabs(place) == DP_GRID_LIMIT) &&
			(quick == place || quick == DP_GRID_NONE);
	return is_place(natural(magnitude), exponent, 0, grid, place < 0 ? -place : place) &&
		(place == 0 || (place < 0) == (value < 0)) &&
		(quick == place || (quick == DP_GRID_NONE && prepared.scale != prepared.scale));
}

static void
test_double(void)
{
	static const double edges[] = {0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 0x1p-1074, -0x1p-1074,
		0x1p-1022, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0x1p62, 0x1p63, 0x1p52,
	0x1.fffffffffffffp51, 0x1.0000000000001p0};
	DpGrid		zero = dp_aggregate_grid_init(0);
	bool		good = true;

	for (int i = 0; i < 20000; i++)
	{
		int			grid = random_between(DP_GRID_MIN, DP_GRID_MAX);
		uint64_t	bits = random64();
		double		value;

		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		if (i % 2)				/* about the size where it matters */
			value = ldexp(frexp(value, &(int) {0}), grid + random_between(-3, 65));
		if (isfinite(value))
			good = good && check_double(value, grid);
	}
	for (int grid = DP_GRID_MIN; grid <= DP_GRID_MAX; grid++)
		for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
			good = good && (abs(grid) % 97 > 3 || check_double(edges[i], grid));
	ok(good, "doubles, edges and random, every grid");
	ok(dp_aggregate_grid_quick_double(NAN, &zero) == DP_GRID_NONE &&
	   dp_aggregate_grid_double(NAN, 0) == DP_GRID_NONE, "NaN has no place");
	ok(dp_aggregate_grid_quick_double(INFINITY, &zero) == DP_GRID_LIMIT &&
	   dp_aggregate_grid_quick_double(-INFINITY, &zero) == -DP_GRID_LIMIT &&
	   dp_aggregate_grid_double(INFINITY, DP_GRID_MAX) == DP_GRID_LIMIT &&
	   dp_aggregate_grid_double(-INFINITY, DP_GRID_MIN) == -DP_GRID_LIMIT,
	   "infinities go to the limits");
}

int
main(void)
{
	random_state = (uint64_t) time(NULL) * UINT64_C(0x9E3779B97F4A7C15) | 1;
	printf("# random state %llu\n", (unsigned long long) random_state);
	test_integer();
	test_double();
	test_numeric_random();
	test_numeric_ties();
	test_numeric_special();
	return done_testing();
}
