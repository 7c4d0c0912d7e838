/*
 * model_layouts.h
 *	  Random layouts of models and rows of them, and layouts in letters, for the tests of what is
 *	  made of rows.
 */
#ifndef DP_MODEL_LAYOUTS_H
#define DP_MODEL_LAYOUTS_H

#include <math.h>
#include <stdint.h>

#include "models/layout.h"

static uint64_t random_state = 30;

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

static void
add_block(DpModelSpec *spec, DpModelKind kind, int coordinates)
{
	spec->block[spec->blocks].kind = (int16_t) kind;
	spec->block[spec->blocks++].coordinates = (int16_t) coordinates;
}

/* Add up to five blocks; keys may be of one key, which is no coordinate, but the first block has so many at least. */
static void
add_columns(DpModelSpec *spec, int least)
{
	int			columns = random_between(1, 5);

	for (int b = 0; b < columns; b++)
	{
		int			kind = random_between(0, 3);

		if (kind == 3)
			add_block(spec, DP_MODEL_KEYS, random_between(b == 0 ? least : 0, 4));
		else
			add_block(spec, kind == 2 ? DP_MODEL_BOOLEAN : DP_MODEL_NUMBER, 1);
	}
}

/* A number for each block: often at an end, sometimes beyond all that there is. */
static void
random_row(const DpModelSpec *spec, int32_t *value)
{
	for (int b = 0; b < spec->blocks; b++)
	{
		if (spec->block[b].kind == DP_MODEL_KEYS)
			value[b] = random_between(1, spec->block[b].coordinates + 1);
		else
			value[b] = random_between(0, 2) ? (random_between(0, 1) ? INT32_MAX : INT32_MIN) :
				random_between(-DP_MODEL_GRID, DP_MODEL_GRID);
	}
}

/* The model of a layout in letters. */
static DpModelSpec
spec_of(const char *layout)
{
	DpModelSpec spec = {.max_rows = 1};

	for (; *layout; layout++)
		add_block(&spec, *layout == 'n' ? DP_MODEL_NUMBER : *layout == 'b' ? DP_MODEL_BOOLEAN : DP_MODEL_KEYS,
				  *layout == 'n' || *layout == 'b' ? 1 : *layout - '0');
	return spec;
}

/* The greatest difference of so many numbers, relative to the greatest of those expected. */
static double
difference(const double *got, const double *expected, int count)
{
	double		greatest = 0;
	double		worst = 0;

	for (int i = 0; i < count; i++)
	{
		greatest = fmax(greatest, fabs(expected[i]));
		worst = fmax(worst, fabs(got[i] - expected[i]));
	}
	return worst / greatest;
}

#endif							/* DP_MODEL_LAYOUTS_H */
