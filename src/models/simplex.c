/* SPDX-License-Identifier: PostgreSQL */
/*
 * simplex.c
 *	  Numbers made shares of a total, and tables made to agree with their margins.
 */
#include <math.h>
#include <stdbool.h>

#include "models/simplex.h"

/* Steps between two breaths. */
#define STRIDE 65536

/* Rounding alone may put an expected number below a whole one. */
#define ROUNDING 1e-9

/*
 * The threshold only rises, as each time those left are above the last one, so that what was left
 * out stays out: where as many are left as before, it is the right one.
 */
void
dp_models_project(double *value, int64_t n, double total, void (*breathe) (void))
{
	double		threshold = -INFINITY;
	int64_t		left = 0;
	int64_t		before;

	do
	{
		double		sum = 0;

		before = left;
		left = 0;
		for (int64_t i = 0; i < n; i++)
		{
			if (value[i] > threshold)
			{
				sum += value[i];
				left++;
			}
			if (i % STRIDE == 0)
				breathe();
		}
		if (left == 0 || left == before)
			break;
		threshold = fmax(threshold, (sum - total) / left);
	} while (true);
	for (int64_t i = 0; i < n; i++)
		value[i] = fmax(value[i] - threshold, 0);
}

/* How a line of a table is moved to its margin: the same is added to each of its cells, or each is multiplied by it. */
typedef enum Way
{
	BY_SQUARES,
	BY_PROPORTIONS
} Way;

/* By how much, of a line of n cells with this sum; what has a sum of zero has no proportions, and stays. */
static double
step_of(Way way, double margin, double sum, int n)
{
	if (way == BY_SQUARES)
		return (margin - sum) / n;
	return sum > 0 ? margin / sum : 0;
}

static double
moved(Way way, double value, double step)
{
	return way == BY_SQUARES ? value + step : value * step;
}

/* Move rows to their margins, and then columns to theirs. */
static void
fit(Way way, double *table, int rows, int columns, const double *row_margin,
	const double *column_margin, double *sum, void (*breathe) (void))
{
	for (int j = 0; j < columns; j++)
		sum[j] = 0;
	for (int i = 0; i < rows; i++)
	{
		double	   *row = table + (int64_t) i * columns;
		double		of_row = 0;
		double		step;

		for (int j = 0; j < columns; j++)
			of_row += row[j];
		step = step_of(way, row_margin[i], of_row, columns);
		for (int j = 0; j < columns; j++)
		{
			row[j] = moved(way, row[j], step);
			sum[j] += row[j];
		}
		if (i % 64 == 0)
			breathe();
	}
	for (int j = 0; j < columns; j++)
		sum[j] = step_of(way, column_margin[j], sum[j], rows);
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			table[(int64_t) i * columns + j] = moved(way, table[(int64_t) i * columns + j], sum[j]);
}

/* What is added to columns is zero in all, as the rows have their margins by then: so they keep these. */
void
dp_models_shift(double *table, int rows, int columns, const double *row_margin,
				const double *column_margin, double *sum, void (*breathe) (void))
{
	fit(BY_SQUARES, table, rows, columns, row_margin, column_margin, sum, breathe);
}

void
dp_models_fit_round(double *table, int rows, int columns, const double *row_margin,
					const double *column_margin, double *sum, void (*breathe) (void))
{
	fit(BY_PROPORTIONS, table, rows, columns, row_margin, column_margin, sum, breathe);
}

/* The i-th share of all, whose sum is given. */
static double
share_of(const double *share, int stride, int i, double sum, int shares)
{
	return sum > 0 ? share[(int64_t) i * stride] / sum : 1.0 / shares;
}

/*
 * Points start, start + 1, ... on the line of all remainders, which are less than 1 long each, so
 * that none holds two points: rounding may leave the last points beyond the end, and these
 * go to the last share that has any.
 */
void
dp_models_spread(int64_t n, const double *share, int stride, int shares, double start, uint32_t *rows)
{
	double		sum = 0;
	double		end = 0;
	double		remainders = 0;
	int64_t		rest = n;
	int64_t		given = 0;
	int			last = 0;

	for (int i = 0; i < shares; i++)
		sum += share[(int64_t) i * stride];
	for (int i = 0; i < shares; i++)
	{
		double		expected = n * share_of(share, stride, i, sum, shares);
		double		whole = fmin(floor(expected + ROUNDING), rest);

		rows[i] = (uint32_t) whole;
		rest -= (int64_t) whole;
		remainders += fmax(expected - whole, 0);
	}
	for (int i = 0; i < shares && given < rest; i++)
	{
		double		expected = n * share_of(share, stride, i, sum, shares);

		if (expected <= 0)
			continue;
		last = i;
		end += fmax(expected - rows[i], 0) / (remainders > 0 ? remainders : 1) * rest;
		if (start + given < end)
		{
			rows[i]++;
			given++;
		}
	}
	rows[last] += (uint32_t) (rest - given);
}
