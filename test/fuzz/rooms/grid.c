/*
 * grid.c
 *	  Places on the grid for any bits of any type, numerics of hostile bytes
 *	  included.
 *
 * The quick ways agree with the complete ones wherever they have an answer, no
 * place is out of bounds, and rounding is odd: -x lies where x does, mirrored.
 */
#include "input.h"

#include "aggregate/grid.h"

#define MAX_NUMERIC 600

static bool
is_place(int64_t place)
{
	return place == DP_GRID_NONE || (place >= -DP_GRID_LIMIT && place <= DP_GRID_LIMIT);
}

static void
check_numbers(Input *input, const DpGrid *grid)
{
	int64_t		integer = (int64_t) take_word(input) >> take_between(input, 0, 63);
	double		value = take_word(input) % 2 ? take_double(input) : take_scaled(input, -100, 100);
	int64_t		place = dp_aggregate_grid_integer(integer, grid->grid);
	int64_t		quick = dp_aggregate_grid_quick_int64(integer, grid);

	CLAIM(is_place(place) && place != DP_GRID_NONE);
	CLAIM(quick == DP_GRID_NONE || quick == place);
	quick = dp_aggregate_grid_quick_int32((int32_t) integer, grid);
	CLAIM(quick == DP_GRID_NONE || quick == dp_aggregate_grid_integer((int32_t) integer, grid->grid));
	place = dp_aggregate_grid_double(value, grid->grid);
	quick = dp_aggregate_grid_quick_double(value, grid);
	CLAIM(is_place(place) && (place == DP_GRID_NONE) == isnan(value));
	CLAIM(quick == DP_GRID_NONE || quick == place);
	if (!isnan(value))
		CLAIM(dp_aggregate_grid_double(-value, grid->grid) == -place);
}

/* A numeric as it lies on disk; true if its digits are what PostgreSQL stores. */
static bool
take_numeric(Input *input, uint8_t *bytes, size_t *length)
{
	bool		sane = true;
	size_t		header;

	*length = 2 + 2 * (size_t) take_between(input, 0, MAX_NUMERIC / 2 - 2);
	take(input, bytes, *length);
	header = (bytes[1] & 0x80) ? 2 : 4;
	for (size_t i = header; i + 1 < *length; i += 2)
	{
		if (dp_aggregate_grid_word(bytes, (int) (i / 2)) > 9999)
			sane = false;
	}
	return sane && *length >= header;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	DpGrid		grid = dp_aggregate_grid_init((int) take_between(&input, DP_GRID_MIN, DP_GRID_MAX));
	uint8_t		buffer[MAX_NUMERIC];
	uint8_t    *bytes;
	size_t		length;
	bool		sane;
	int64_t		quick;
	int64_t		place;

	if (take_word(&input) % 2)
		grid = dp_aggregate_grid_init((int) take_between(&input, -64, 8));
	check_numbers(&input, &grid);
	sane = take_numeric(&input, buffer, &length);

	/* On the heap, so that a read beyond the end is one. */
	bytes = malloc(length);
	memcpy(bytes, buffer, length);
	place = dp_aggregate_grid_numeric(bytes, length, grid.grid);
	quick = dp_aggregate_grid_quick_numeric(bytes, length, &grid);
	if (sane)
		CLAIM(is_place(place) && (quick == DP_GRID_NONE || quick == place));
	free(bytes);
	return 0;
}
