/* SPDX-License-Identifier: PostgreSQL */
/*
 * layout.h
 *	  What is released for a model of columns: totals over rows of the products of their
 *	  coordinates, and how much of them a row can move.
 *
 * Plain C: no server header.
 *
 * A row has a block of coordinates for each column, and the last block is of what is to
 * be predicted.  Coordinates are integers, G = 2^14 standing for one.  A number between
 * its bounds has one in [-G, G], and a boolean -G or G.  A column with keys has one for
 * each key but the first, of which at most one is G and the others are 0.  Behind a
 * constant G that is a vector v, and its totals are those of v_i v_j, in units of G^2:
 *
 *		the row itself, each coordinate, products of coordinates of different blocks,
 *		and squares of numbers, less a half
 *
 * and no others, which are known: squares of booleans are one, those of keys the
 * coordinates themselves, products within a block of keys 0.
 *
 * With B blocks, of which q are numbers, a row's totals have
 *
 *		sum of squares     at most  S = 1 + B + q/4 + B (B - 1) / 2
 *		sum of magnitudes  at most  L = 1 + B + q/2 + B (B - 1) / 2
 *
 * in these units, and some row has both.  Proof: doc/accounting.md.
 */
#ifndef DP_MODELS_LAYOUT_H
#define DP_MODELS_LAYOUT_H

#include <stdbool.h>

#include "models/weight.h"

#define DP_MODEL_GRID_BITS 14
#define DP_MODEL_GRID (1 << DP_MODEL_GRID_BITS)

/* Most columns besides what is predicted, and most coordinates of theirs. */
#define DP_MODEL_MOST_COORDINATES 64
#define DP_MODEL_MOST_BLOCKS (DP_MODEL_MOST_COORDINATES + 1)

/* Length of the vector at most, and number of totals. */
#define DP_MODEL_MOST_ENTRIES (DP_MODEL_MOST_COORDINATES + 2)
#define DP_MODEL_MOST_TOTALS (DP_MODEL_MOST_ENTRIES * (DP_MODEL_MOST_ENTRIES + 1) / 2)

/* Rows of units with several weigh up to 2^16, and others 1. */
#define DP_MODEL_WEIGHT_BITS DP_ROW_WEIGHT_BITS

typedef enum DpModelKind
{
	DP_MODEL_NUMBER,
	DP_MODEL_BOOLEAN,
	DP_MODEL_KEYS
} DpModelKind;

typedef struct DpModelBlock
{
	int16_t		kind;			/* DpModelKind */
	int16_t		coordinates;	/* 1; of keys one less than there are */
} DpModelBlock;

/*
 * The columns of a model, a bytea constant in plans: what is below is checked by
 * dp_models_model_spec_is_sane.
 */
typedef struct DpModelSpec
{
	int32_t		vl_len_;		/* varlena header */
	int32_t		blocks;			/* that of what is predicted among them, which is the last */
	int32_t		weight_bits;	/* 0 where a row is a unit, else DP_MODEL_WEIGHT_BITS */
	int32_t		max_rows;		/* most rows of a unit that count */
	DpModelBlock block[DP_MODEL_MOST_BLOCKS];
} DpModelSpec;

/* A sum over all rows, aligned as memory of the server is. */
typedef __int128 DpModelTotal __attribute__((aligned(8)));

/* Is this what all arithmetic here relies on? */
extern bool dp_models_model_spec_is_sane(const DpModelSpec *spec);

/* Number of coordinates without the constant and the last block; length of the vector. */
extern int	dp_models_model_coordinates(const DpModelSpec *spec);
extern int	dp_models_model_entries(const DpModelSpec *spec);

/* Number of totals. */
extern int	dp_models_model_totals(const DpModelSpec *spec);

/* 4 S and 2 L, see above: whole numbers. */
extern int	dp_models_model_four_squares(const DpModelSpec *spec);
extern int	dp_models_model_two_magnitudes(const DpModelSpec *spec);

/*
 * The vector of a row, from a number for each block: a coordinate, which is clamped; for a
 * boolean its sign; for keys the place of the row's among them, from 1.  False if a
 * place is none of these.
 */
extern bool dp_models_model_vector(const DpModelSpec *spec, const int32_t *value, int32_t *vector);

/*
 * Weight of a row of a unit with so many.  Those of a unit weigh max_rows
 * 2^weight_bits at most.
 */
static inline int64_t
dp_models_model_weight(const DpModelSpec *spec, int64_t rows)
{
	return dp_models_weight(spec->max_rows, spec->weight_bits, rows);
}

/* So many rows' sums of w v_i v_j fit 64 bits, whatever they weigh. */
#define DP_MODEL_ROWS_THAT_FIT (INT64_C(1) << 17)

/* The totals from sums of w v_i v_j, i <= j, row by row of the upper triangle, over all rows: integers, in units of 1 / G^2. */
extern void dp_models_model_read_totals(const DpModelSpec *spec, const DpModelTotal *sum, DpModelTotal *total);

/* Where products stand among the totals. */
typedef struct DpModelIndex
{
	int			entries;		/* of the vector */
	int			totals;
	int			block[DP_MODEL_MOST_ENTRIES];	/* of each; -1 for the constant */
	int			kind[DP_MODEL_MOST_ENTRIES];	/* of that block */
	int			number[DP_MODEL_MOST_ENTRIES][DP_MODEL_MOST_ENTRIES];	/* of a product among the
																		 * totals, or -1 */
} DpModelIndex;

extern void dp_models_model_index(const DpModelSpec *spec, DpModelIndex *index);

/*
 * Numbers and factors of the totals that make up the sum of v_i v_j, in units of a row:
 * two at most.  Returns how many.
 */
extern int	dp_models_model_made_of(const DpModelIndex *index, int i, int j, int *number, double *factor);

/* The matrix of these sums, entries squared, from totals in units of a row. */
extern void dp_models_model_matrix(const DpModelIndex *index, const double *total, double *matrix);

#endif							/* DP_MODELS_LAYOUT_H */
