/* SPDX-License-Identifier: PostgreSQL */
/*
 * layout.c
 *	  What is released for a model of columns; see layout.h.
 */
#include "models/layout.h"

/* Greatest max_rows: weights of a unit's rows then fit 64 bits together. */
#define MOST_ROWS 1000000000

bool
dp_models_model_spec_is_sane(const DpModelSpec *spec)
{
	int			coordinates = 0;

	if (spec->blocks < 1 || spec->blocks > DP_MODEL_MOST_BLOCKS || spec->max_rows < 1 ||
		spec->max_rows > MOST_ROWS || (spec->weight_bits != 0 && spec->weight_bits != DP_MODEL_WEIGHT_BITS))
		return false;
	for (int b = 0; b < spec->blocks; b++)
	{
		const DpModelBlock *block = &spec->block[b];
		bool		keys = block->kind == DP_MODEL_KEYS;

		if (!keys && block->kind != DP_MODEL_NUMBER && block->kind != DP_MODEL_BOOLEAN)
			return false;
		if (block->coordinates < (keys ? 0 : 1) || block->coordinates > (keys ? DP_MODEL_MOST_COORDINATES : 1))
			return false;
		coordinates += block->coordinates;
	}
	return spec->block[spec->blocks - 1].kind != DP_MODEL_KEYS && coordinates <= DP_MODEL_MOST_COORDINATES + 1;
}

int
dp_models_model_entries(const DpModelSpec *spec)
{
	int			entries = 1;

	for (int b = 0; b < spec->blocks; b++)
		entries += spec->block[b].coordinates;
	return entries;
}

int
dp_models_model_coordinates(const DpModelSpec *spec)
{
	return dp_models_model_entries(spec) - 2;
}

/* How many blocks have coordinates, and how many of them are numbers? */
static int
count_blocks(const DpModelSpec *spec, int *numbers)
{
	int			count = 0;

	*numbers = 0;
	for (int b = 0; b < spec->blocks; b++)
	{
		count += spec->block[b].coordinates > 0;
		*numbers += spec->block[b].kind == DP_MODEL_NUMBER;
	}
	return count;
}

int
dp_models_model_four_squares(const DpModelSpec *spec)
{
	int			numbers;
	int			blocks = count_blocks(spec, &numbers);

	return 4 * (1 + blocks) + numbers + 2 * blocks * (blocks - 1);
}

int
dp_models_model_two_magnitudes(const DpModelSpec *spec)
{
	int			numbers;
	int			blocks = count_blocks(spec, &numbers);

	return 2 * (1 + blocks) + numbers + blocks * (blocks - 1);
}

/* The block of each entry of the vector; -1 for the constant. */
static void
find_blocks(const DpModelSpec *spec, int *block)
{
	int			i = 1;

	block[0] = -1;
	for (int b = 0; b < spec->blocks; b++)
		for (int k = 0; k < spec->block[b].coordinates; k++)
			block[i++] = b;
}

/* Is the product of entries of these blocks known: of one block, and not the square of a number? */
static bool
is_known(const DpModelSpec *spec, int block_i, int block_j)
{
	return block_i >= 0 && block_i == block_j && spec->block[block_i].kind != DP_MODEL_NUMBER;
}

void
dp_models_model_index(const DpModelSpec *spec, DpModelIndex *index)
{
	index->entries = dp_models_model_entries(spec);
	index->totals = 0;
	find_blocks(spec, index->block);
	for (int i = 0; i < index->entries; i++)
	{
		index->kind[i] = i == 0 ? DP_MODEL_BOOLEAN : spec->block[index->block[i]].kind;
		for (int j = i; j < index->entries; j++)
			index->number[i][j] = index->number[j][i] =
				is_known(spec, index->block[i], index->block[j]) ? -1 : index->totals++;
	}
}

int
dp_models_model_totals(const DpModelSpec *spec)
{
	int			entries = dp_models_model_entries(spec);
	int			totals = entries * (entries + 1) / 2;

	for (int b = 0; b < spec->blocks; b++)
		if (spec->block[b].kind != DP_MODEL_NUMBER)
			totals -= spec->block[b].coordinates * (spec->block[b].coordinates + 1) / 2;
	return totals;
}

static int32_t
clamp(int32_t value)
{
	value = value < DP_MODEL_GRID ? value : DP_MODEL_GRID;
	return value > -DP_MODEL_GRID ? value : -DP_MODEL_GRID;
}

bool
dp_models_model_vector(const DpModelSpec *spec, const int32_t *value, int32_t *vector)
{
	int32_t    *next = vector;

	*next++ = DP_MODEL_GRID;
	for (int b = 0; b < spec->blocks; b++)
	{
		const DpModelBlock *block = &spec->block[b];

		switch (block->kind)
		{
			case DP_MODEL_NUMBER:
				*next = clamp(value[b]);
				break;
			case DP_MODEL_BOOLEAN:
				*next = value[b] > 0 ? DP_MODEL_GRID : -DP_MODEL_GRID;
				break;
			default:
				if (value[b] < 1 || value[b] > block->coordinates + 1)
					return false;
				for (int k = 0; k < block->coordinates; k++)
					next[k] = value[b] == k + 2 ? DP_MODEL_GRID : 0;
		}
		next += block->coordinates;
	}
	return true;
}

void
dp_models_model_read_totals(const DpModelSpec *spec, const DpModelTotal *sum, DpModelTotal *total)
{
	int			entries = dp_models_model_entries(spec);
	int			block[DP_MODEL_MOST_ENTRIES] = {0};
	__int128	half = sum[0] / 2;	/* of the weights, times G^2, which is even */

	find_blocks(spec, block);
	for (int i = 0; i < entries; i++)
		for (int j = i; j < entries; j++, sum++)
			if (!is_known(spec, block[i], block[j]))
				*total++ = *sum - (i > 0 && i == j ? half : 0);
}

int
dp_models_model_made_of(const DpModelIndex *index, int i, int j, int *number, double *factor)
{
	factor[0] = factor[1] = 1;
	number[0] = index->number[i][j];
	if (number[0] < 0)
	{
		/*
		 * A row has one key, so a product of two is 0; the square of a key is itself, that of a
		 * boolean 1.
		 */
		number[0] = index->kind[i] == DP_MODEL_BOOLEAN ? 0 : index->number[0][i];
		return i == j ? 1 : 0;
	}
	if (i == 0 || i != j)
		return 1;
	number[1] = 0;				/* the half that was taken */
	factor[1] = 0.5;
	return 2;
}

void
dp_models_model_matrix(const DpModelIndex *index, const double *total, double *matrix)
{
	for (int i = 0; i < index->entries; i++)
		for (int j = 0; j < index->entries; j++)
		{
			int			number[2];
			double		factor[2];
			int			count = dp_models_model_made_of(index, i, j, number, factor);
			double		value = 0;

			for (int k = 0; k < count; k++)
				value += factor[k] * total[number[k]];
			matrix[i * index->entries + j] = value;
		}
}
