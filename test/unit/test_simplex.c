/*
 * test_simplex.c
 *	  Numbers made shares of a total, tables made to agree with their margins, and rows spread over shares.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "data64.h"
#include "tap.h"

#include "models/simplex.h"

#define DRAWS 40000

/* A number in [-1, 1). */
static double
some_number(void)
{
	return (double) (data64() >> 11) * 0x1p-52 - 1;
}

static long breaths = 0;

static void
breathe(void)
{
	breaths++;
}

/* The nearest point of the simplex is the one that differs from the values by a constant where it is not 0. */
static void
test_projection(void)
{
	double		three[] = {3, 1, -1};
	bool		right = true;

	dp_models_project(three, 3, 2, breathe);
	ok(three[0] == 2 && three[1] == 0 && three[2] == 0, "a projection by hand");
	for (int round = 0; round < 300; round++)
	{
		double		value[50];
		double		near[50];
		int			n = 1 + (int) (data64() % 50);
		double		total = 0.01 + 10 * fabs(some_number());
		double		sum = 0;
		double		threshold = -INFINITY;

		for (int i = 0; i < n; i++)
			near[i] = value[i] = some_number() * (round % 3 == 0 ? 1 : 100);
		dp_models_project(near, n, total, breathe);
		for (int i = 0; i < n; i++)
		{
			sum += near[i];
			if (near[i] > 0)
				threshold = value[i] - near[i];
		}
		right = right && fabs(sum - total) < 1e-9;
		for (int i = 0; i < n; i++)
			right = right && near[i] >= 0 && (near[i] > 0 ? fabs(value[i] - near[i] - threshold) < 1e-9
											  : value[i] <= threshold + 1e-9);
	}
	ok(right, "random ones are nearest");
}

/* Fitting keeps odds ratios, and brings about margins that agree. */
static void
test_fitting(void)
{
	double		table[] = {1, 2, 3, 4, 5, 6};
	const double rows[] = {7, 3};
	const double columns[] = {2, 3, 5};
	double		sum[3];
	double		off = 0;

	for (int i = 0; i < 30; i++)
		dp_models_fit_round(table, 2, 3, rows, columns, sum, breathe);
	for (int i = 0; i < 2; i++)
		off = fmax(off, fabs(table[3 * i] + table[3 * i + 1] + table[3 * i + 2] - rows[i]));
	for (int j = 0; j < 3; j++)
		off = fmax(off, fabs(table[j] + table[3 + j] - columns[j]));
	ok(off < 1e-9, "fitted tables have their margins");
	ok(fabs(table[0] * table[4] / (table[1] * table[3]) - 5.0 / 8) < 1e-9 &&
	   fabs(table[1] * table[5] / (table[2] * table[4]) - 12.0 / 15) < 1e-9, "and their odds ratios");
}

/*
 * The nearest table with given margins has these, and differs from what it was by a part of each row and of each column,
 * which is what it means that no other is nearer.
 */
static void
test_shifting(void)
{
	double		off = 0;

	for (int round = 0; round < 200; round++)
	{
		double		table[4][5];
		double		before[4][5];
		double		rows[4] = {0};
		double		columns[5] = {0};
		double		sum[5];

		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 5; j++)
			{
				double		other = 10 * some_number();

				before[i][j] = table[i][j] = 10 * some_number();
				rows[i] += other;
				columns[j] += other;
			}
		dp_models_shift(&table[0][0], 4, 5, rows, columns, sum, breathe);
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 5; j++)
			{
				rows[i] -= table[i][j];
				columns[j] -= table[i][j];
				off = fmax(off, fabs(table[i][j] - before[i][j] - table[0][j] + before[0][j] - table[i][0] + before[i][0] +
									 table[0][0] - before[0][0]));
			}
		for (int i = 0; i < 4; i++)
			off = fmax(off, fabs(rows[i]));
		for (int j = 0; j < 5; j++)
			off = fmax(off, fabs(columns[j]));
	}
	ok(off < 1e-9, "tables are moved to margins by the shortest way");
}

static void
test_spreading(void)
{
	const double shares[] = {1, 1, 2};
	uint32_t	rows[20];
	bool		right = true;
	long		more[3] = {0};
	const long double expected[] = {0.2L, 0.3L, 0.5L};
	const double uneven[] = {1.2, 1.3, 0.5};

	dp_models_spread(10, shares, 1, 3, 0, rows);
	ok(rows[0] == 3 && rows[1] == 2 && rows[2] == 5, "a remainder from the start");
	dp_models_spread(10, shares, 1, 3, 0.7, rows);
	ok(rows[0] == 2 && rows[1] == 3 && rows[2] == 5, "and from beyond the first half");
	for (int round = 0; round < 1000; round++)
	{
		double		share[20];
		double		sum = 0;
		int64_t		n = (int64_t) (data64() % 1000);
		int64_t		all = 0;

		for (int i = 0; i < 10; i++)
			sum += share[2 * i] = data64() % 3 == 0 ? 0 : 1 + some_number();
		dp_models_spread(n, share, 2, 10, (1 + some_number()) / 2, rows);
		for (int i = 0; i < 10; i++)
		{
			all += rows[i];
			right = right && (sum == 0 || fabs(rows[i] - n * share[2 * i] / sum) <= 1 + 1e-6);
			right = right && (sum == 0 || share[2 * i] > 0 || rows[i] == 0);
		}
		right = right && all == n;
	}
	ok(right, "spread rows are all there, each number within one of what is expected");
	for (int i = 0; i < DRAWS; i++)
	{
		dp_models_spread(3, uneven, 1, 3, (i + 0.5) / DRAWS, rows);
		more[rows[0] == 2 ? 0 : rows[1] == 2 ? 1 : 2]++;
	}
	for (int i = 0; i < 3; i++)
		right = right && fabs(more[i] - (double) (DRAWS * expected[i])) < 2;
	ok(right, "and over all starts expected numbers are exact");
}

int
main(void)
{
	test_projection();
	test_fitting();
	test_shifting();
	test_spreading();
	ok(breaths > 500, "and all of it takes breath");
	return done_testing();
}
