/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthesis_tables.h
 *	  The two-way tables of all pairs of columns: adding rows, and reading them.
 *
 * Plain C: no server header.  The table of columns i < j has a cell for each cell of i and each of
 * j, row by row; tables stand one behind the other, (0, 1), (0, 2), ..., (k - 2, k - 1).  Cells
 * hold 64 bits and saturate: whatever the order of rows, or which process adds them, the result is
 * min(sum, INT64_MAX), which moves by no more than the sum does.
 */
#ifndef DP_MODELS_SYNTHESIS_TABLES_H
#define DP_MODELS_SYNTHESIS_TABLES_H

#include "models/synthesis.h"

/* Cells of the tables of all pairs; 0 if the shape is out of range. */
extern int64_t dp_models_synthesis_table_cells(const DpSynthesisShape *shape);

/* Where the table of first < second starts. */
extern int64_t dp_models_synthesis_table_start(const DpSynthesisShape *shape, int first, int second);

/* A sum of two numbers >= 0. */
static inline int64_t
dp_models_synthesis_plus(int64_t a, int64_t b)
{
	int64_t		sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* A row of this weight >= 0, in a cell of each column: below its number, for certain. */
static inline void
dp_models_synthesis_add(int64_t *tables, const DpSynthesisShape *shape, const int32_t *cell, int64_t weight)
{
	int64_t    *table = tables;

	for (int i = 0; i < shape->columns - 1; i++)
	{
		int64_t		cells = shape->cells[i];
		int64_t		at = cell[i];

		for (int j = i + 1; j < shape->columns; j++)
		{
			int64_t    *to = table + at * shape->cells[j] + cell[j];

			*to = dp_models_synthesis_plus(*to, weight);
			table += cells * shape->cells[j];
		}
	}
}

/* The one-way table of a column. */
extern void dp_models_synthesis_sum_out(const DpSynthesisShape *shape, const int64_t *tables, int column,
										int64_t *sum);

#endif							/* DP_MODELS_SYNTHESIS_TABLES_H */
