/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthesis_tables.c
 *	  The two-way tables of all pairs of columns.
 */
#include "models/synthesis_tables.h"

int64_t
dp_models_synthesis_table_cells(const DpSynthesisShape *shape)
{
	int64_t		cells = 0;

	if (shape->columns < 2 || shape->columns > DP_SYNTHESIS_MOST_COLUMNS)
		return 0;
	for (int i = 0; i < shape->columns; i++)
		if (shape->cells[i] < 1 || shape->cells[i] > DP_SYNTHESIS_MOST_CELLS)
			return 0;
	for (int i = 0; i < shape->columns; i++)
		for (int j = i + 1; j < shape->columns; j++)
			cells += (int64_t) shape->cells[i] * shape->cells[j];
	return cells <= DP_SYNTHESIS_MOST_TABLES ? cells : 0;
}

int64_t
dp_models_synthesis_table_start(const DpSynthesisShape *shape, int first, int second)
{
	int64_t		start = 0;

	for (int i = 0; i <= first; i++)
		for (int j = i + 1; j < (i < first ? shape->columns : second); j++)
			start += (int64_t) shape->cells[i] * shape->cells[j];
	return start;
}

/* Every row is in one cell of each pair's table, so that any pair of the column's will do. */
void
dp_models_synthesis_sum_out(const DpSynthesisShape *shape, const int64_t *tables, int column, int64_t *sum)
{
	int			first = column == 0 ? 0 : column - 1;
	const int64_t *table = tables + dp_models_synthesis_table_start(shape, first, first + 1);

	for (int i = 0; i < shape->cells[column]; i++)
		sum[i] = 0;
	for (int i = 0; i < shape->cells[first]; i++)
		for (int j = 0; j < shape->cells[first + 1]; j++)
		{
			int64_t    *to = &sum[column == first ? i : j];

			*to = dp_models_synthesis_plus(*to, *table++);
		}
}
