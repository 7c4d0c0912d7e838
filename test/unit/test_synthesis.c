/*
 * test_synthesis.c
 *	  Synthetic rows: tables, margins, the tree's draws, and how far rows are from what they were made of.
 *
 * Laws are held against draws by fit.h, each failing a correct sampler with probability below 1e-9.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data64.h"
#include "fit.h"
#include "tap.h"

#include "accounting/calibrate.h"
#include "accounting/conversion.h"
#include "accounting/tree_tables.h"
#include "models/synthesis.h"
#include "models/synthesis_rows.h"
#include "models/synthesis_tables.h"
#include "models/synthesis_tree.h"

#define ROW (INT64_C(1) << DP_SYNTHESIS_WEIGHT_BITS)
#define DRAWS 40000

static long breaths = 0;

static void
breathe(void)
{
	breaths++;
}

/* What is given back between two tests. */
static void *given[4096];
static int	blocks = 0;

static void *
allocate(size_t size)
{
	void	   *block = calloc(1, size > 0 ? size : 1);

	if (block == NULL || blocks == 4096)
		abort();
	return given[blocks++] = block;
}

static void
give_back(void)
{
	while (blocks > 0)
		free(given[--blocks]);
}

static const DpSynthesisHost host = {allocate, breathe};

/*
 * Of two columns that are alike, a fitted table is nearer to the exact one than what was drawn: its noise has 25 of 36 parts
 * left, and what margins add.  In 400 rounds that is 0.70 of the square, give or take 0.007; 0.91 if proportions alone are
 * fitted.
 */
static void
test_fitted(void)
{
	const DpSynthesisShape shape = {2, {6, 6}};
	const DpSynthesisNoise noise = {4 * ROW, 8 * ROW, ROW, 1};
	int64_t		tables[36] = {0};
	double		drawn = 0;
	double		fitted = 0;
	double		off = 0;

	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 6; j++)
			tables[6 * i + j] = (i == j ? 200 : 20) * ROW;
	for (int round = 0; round < 400; round++)
	{
		DpSynthesis *synthesis = dp_models_synthesis_make(&host, &shape, tables, &noise);

		dp_models_synthesis_margins(synthesis);
		dp_models_synthesis_draw_tree(synthesis);
		dp_models_synthesis_release(synthesis);
		for (int i = 0; i < 36; i++)
			drawn += pow(synthesis->edge[0].table[i] / ROW - (double) (tables[i] / ROW), 2);
		dp_models_synthesis_fit(synthesis);
		for (int i = 0; i < 36; i++)
			fitted += pow(synthesis->edge[0].table[i] / ROW - (double) (tables[i] / ROW), 2);
		for (int i = 0; i < 6; i++)
		{
			double		sum = 0;

			for (int j = 0; j < 6; j++)
				sum += synthesis->edge[0].table[6 * i + j];
			off = fmax(off, fabs(sum - synthesis->margin[0][i]) / ROW);
		}
		give_back();
	}
	ok(off < 1, "fitted tables agree with margins within %.2g rows", off);
	ok(fitted < 0.8 * drawn, "and are nearer than what was drawn: %.3f of its square", fitted / drawn);
}

/* Tables of random rows, held against counting. */
static void
test_tables(void)
{
	const DpSynthesisShape shape = {4, {3, 1, 5, 2}};
	int32_t		row[100][4];
	int64_t		tables[64] = {0};
	int64_t		sum[5];
	bool		right = dp_models_synthesis_table_cells(&shape) == 3 + 15 + 6 + 5 + 2 + 10;

	for (int r = 0; r < 100; r++)
	{
		for (int i = 0; i < 4; i++)
			row[r][i] = (int32_t) (data64() % (uint64_t) shape.cells[i]);
		dp_models_synthesis_add(tables, &shape, row[r], r + 1);
	}
	for (int i = 0; i < 4; i++)
		for (int j = i + 1; j < 4; j++)
			for (int a = 0; a < shape.cells[i]; a++)
				for (int b = 0; b < shape.cells[j]; b++)
				{
					int64_t		expected = 0;

					for (int r = 0; r < 100; r++)
						expected += row[r][i] == a && row[r][j] == b ? r + 1 : 0;
					right = right && expected ==
						tables[dp_models_synthesis_table_start(&shape, i, j) + a * shape.cells[j] + b];
				}
	ok(right, "tables count rows by their weights");
	for (int i = 0; i < 4; i++)
	{
		dp_models_synthesis_sum_out(&shape, tables, i, sum);
		for (int a = 0; a < shape.cells[i]; a++)
		{
			int64_t		expected = 0;

			for (int r = 0; r < 100; r++)
				expected += row[r][i] == a ? r + 1 : 0;
			right = right && expected == sum[a];
		}
	}
	ok(right, "and so do their margins");
	dp_models_synthesis_add(tables, &shape, row[0], INT64_MAX);
	dp_models_synthesis_add(tables, &shape, row[0], 1);
	ok(tables[row[0][0] * shape.cells[1] + row[0][1]] == INT64_MAX, "which are cut at 2^63 - 1");
}

static void
test_limits(void)
{
	DpSynthesisShape shape = {2, {1024, 1024}};

	ok(dp_models_synthesis_table_cells(&shape) == 1024 * 1024, "1024 cells a column");
	shape.cells[0] = 1025;
	ok(dp_models_synthesis_table_cells(&shape) == 0, "not 1025");
	shape = (DpSynthesisShape) {1, {5}};
	ok(dp_models_synthesis_table_cells(&shape) == 0, "not one column");
	shape.columns = 33;
	ok(dp_models_synthesis_table_cells(&shape) == 0, "nor 33");
	shape.columns = 4;
	for (int i = 0; i < 4; i++)
		shape.cells[i] = 836;
	ok(dp_models_synthesis_table_cells(&shape) == 6 * 836 * 836, "2^22 cells of all pairs");
	shape.cells[3] = 838;
	ok(dp_models_synthesis_table_cells(&shape) == 0, "and no more");
}

/* Tables of random rows of a shape. */
static int64_t *
some_tables(const DpSynthesisShape *shape, int rows)
{
	int64_t    *tables = allocate((size_t) dp_models_synthesis_table_cells(shape) * sizeof(int64_t));

	for (int r = 0; r < rows; r++)
	{
		int32_t		cell[DP_SYNTHESIS_MOST_COLUMNS];

		for (int i = 0; i < shape->columns; i++)
			cell[i] = (int32_t) (data64() % (uint64_t) shape->cells[i]);
		dp_models_synthesis_add(tables, shape, cell, ROW);
	}
	return tables;
}

/* What a unit moves scores by: never more than it weighs, and sometimes all of that. */
static void
test_scores(void)
{
	const DpSynthesisShape shape = {3, {4, 6, 3}};
	const DpSynthesisNoise noise = {5 * ROW, 4 * ROW, 1, 1};
	double		most = 0;

	for (int round = 0; round < 200; round++)
	{
		int64_t    *tables = some_tables(&shape, 1 + (int) (data64() % 200));
		int64_t    *other = allocate((size_t) dp_models_synthesis_table_cells(&shape) * sizeof(int64_t));
		DpSynthesis *synthesis = dp_models_synthesis_make(&host, &shape, tables, &noise);
		int64_t		left = 3 * ROW;

		memcpy(other, tables, (size_t) dp_models_synthesis_table_cells(&shape) * sizeof(int64_t));
		dp_models_synthesis_margins(synthesis);
		for (int r = 0; r < 4 && left > 0; r++)
		{
			int32_t		cell[3];
			int64_t		weight = r == 3 ? left : (int64_t) (data64() % (uint64_t) (left + 1));

			for (int i = 0; i < 3; i++)
				cell[i] = (int32_t) (data64() % (uint64_t) shape.cells[i]);
			dp_models_synthesis_add(other, &shape, cell, weight);
			left -= weight;
		}
		for (int i = 0; i < 3; i++)
			for (int j = i + 1; j < 3; j++)
			{
				int64_t		with;
				int64_t		without = dp_models_synthesis_score(synthesis, i, j);

				synthesis->tables = other;
				with = dp_models_synthesis_score(synthesis, i, j);
				synthesis->tables = tables;
				most = fmax(most, (double) llabs(with - without) / ROW);
			}
		give_back();
	}
	ok(most == 3, "a unit of three rows' weight moves scores by at most that, and by that: %g", most);
}

/* A score by hand: two columns that are equal, 50 rows in each of two cells. */
static void
test_score_by_hand(void)
{
	const DpSynthesisShape shape = {2, {2, 2}};
	const DpSynthesisNoise noise = {1, ROW, 1, 1};
	int64_t		tables[] = {50 * ROW, 0, 0, 50 * ROW};
	DpSynthesis *synthesis = dp_models_synthesis_make(&host, &shape, tables, &noise);
	double		expected = 4 * 25 - sqrt(2 / M_PI) * 4;

	dp_models_synthesis_margins(synthesis);
	ok(fabs((double) dp_models_synthesis_score(synthesis, 0, 1) / ROW - expected) < 1e-2, "a score by hand");
	ok(fabs(synthesis->total / ROW - 100) < 1e-2, "and a total");
	give_back();
}

/*
 * Three columns, of which the first two are alike and the third is a little: each tree is as likely
 * as its draws.
 */
static void
test_tree(void)
{
	const DpSynthesisShape shape = {3, {2, 2, 2}};
	const DpSynthesisNoise noise = {1, ROW / 2, 3 * ROW, 1};
	int64_t		tables[] = {
		8 * ROW, 2 * ROW, 2 * ROW, 8 * ROW, 6 * ROW, 4 * ROW, 4 * ROW, 6 * ROW, 5 * ROW, 5 * ROW, 5 * ROW, 5 * ROW
	};
	const int	number[3][3] = {{-1, 0, 1}, {0, -1, 2}, {1, 2, -1}};
	long double weight[3];
	long double law[10] = {0};
	long		count[10] = {0};
	DpSynthesis *synthesis = dp_models_synthesis_make(&host, &shape, tables, &noise);

	dp_models_synthesis_margins(synthesis);
	for (int i = 0; i < 3; i++)
		for (int j = i + 1; j < 3; j++)
			weight[number[i][j]] = expl((long double) dp_models_synthesis_score(synthesis, i, j) / (3 * ROW));
	for (int a = 0; a < 3; a++)
	{
		long double first = weight[a] / (1 + weight[0] + weight[1] + weight[2]);

		/* Of three columns, any second pair connects the third one. */
		for (int b = 0; b < 3; b++)
			if (b != a)
				law[3 * a + b] = first * weight[b] / (1 + weight[0] + weight[1] + weight[2] - weight[a]);
		law[3 * a + a] = first / (1 + weight[0] + weight[1] + weight[2] - weight[a]);
	}
	law[9] = 1 / (1 + weight[0] + weight[1] + weight[2]);
	for (int i = 0; i < DRAWS; i++)
	{
		int			a;
		int			b;

		synthesis->edges = 0;
		dp_models_synthesis_draw_tree(synthesis);
		if (synthesis->edges == 0)
			count[9]++;
		else
		{
			a = number[synthesis->edge[0].first][synthesis->edge[0].second];
			b = synthesis->edges == 1 ? a : number[synthesis->edge[1].first][synthesis->edge[1].second];
			count[3 * a + b]++;
		}
		free(given[--blocks]);
	}
	ok(fits(10, count, law), "trees are drawn with their probabilities");
	give_back();
}

/* Class, sex, age, survival of the Titanic's 2,201 people (R, datasets, Titanic): numbers by the last three. */
static const int titanic[4][2][2][2] = {
	{{{0, 5}, {118, 57}}, {{0, 1}, {4, 140}}},
	{{{0, 11}, {154, 14}}, {{0, 13}, {13, 80}}},
	{{{35, 13}, {387, 75}}, {{17, 14}, {89, 76}}},
	{{{0, 0}, {670, 192}}, {{0, 0}, {3, 20}}}
};
static const DpSynthesisShape titanic_shape = {4, {4, 2, 2, 2}};

static int64_t *
titanic_tables(void)
{
	int64_t    *tables = allocate((size_t) dp_models_synthesis_table_cells(&titanic_shape) * sizeof(int64_t));

	for (int i = 0; i < 32; i++)
	{
		const int32_t cell[] = {i / 8, i / 4 % 2, i / 2 % 2, i % 2};

		dp_models_synthesis_add(tables, &titanic_shape, cell, titanic[cell[0]][cell[1]][cell[2]][cell[3]] * ROW);
	}
	return tables;
}

/* The mean over pairs of what shares of two tables differ by. */
static double
error_of(const DpSynthesisShape *shape, const int64_t *one, const int64_t *other, double rows, double others)
{
	double		sum = 0;

	for (int64_t i = 0; i < dp_models_synthesis_table_cells(shape); i++)
		sum += fabs((double) one[i] / rows - (double) other[i] / others);
	return sum / (shape->columns * (shape->columns - 1) / 2) / ROW;
}

/* Tables of synthetic rows; so many of them if rows > 0. */
static int64_t *
synthesize(const DpSynthesisShape *shape, const int64_t *tables, const DpSynthesisNoise *noise, int64_t *rows)
{
	DpSynthesis *synthesis = dp_models_synthesis_make(&host, shape, tables, noise);
	int64_t    *made = allocate((size_t) dp_models_synthesis_table_cells(shape) * sizeof(int64_t));
	DpSynthesisRows *source;

	dp_models_synthesis_margins(synthesis);
	dp_models_synthesis_draw_tree(synthesis);
	dp_models_synthesis_release(synthesis);
	dp_models_synthesis_fit(synthesis);
	if (*rows == 0)
		*rows = dp_models_synthesis_row_count(synthesis);
	source = dp_models_synthesis_start(synthesis, *rows);
	for (int64_t i = 0; i < *rows; i++)
	{
		int32_t		cell[DP_SYNTHESIS_MOST_COLUMNS];

		dp_models_synthesis_next(source, cell);
		dp_models_synthesis_add(made, shape, cell, ROW);
	}
	return made;
}

/* The noise of an epsilon at delta 1e-9, where each row is a unit. */
static DpSynthesisNoise
noise_of(int columns, double epsilon)
{
	DpTreeNoise noise;

	if (dp_accounting_calibrate_tree(&noise, epsilon, 1e-9, columns, ROW, -DP_SYNTHESIS_WEIGHT_BITS) != NULL)
		abort();
	return (DpSynthesisNoise) {
		.margin_sigma = noise.margins.sigma, .pair_sigma = noise.pairs.sigma,
		.scale_num = noise.tree.scale_num, .scale_den = noise.tree.scale_den
	};
}

/*
 * What all draws cost, computed from their integers, is rho at most, and little less: at order a, the Gaussian
 * noise 0.92 a rho, and the exponential mechanism no more than 0.08 a rho.
 */
static void
test_cost(void)
{
	const double epsilons[] = {0.01, 0.1, 1, 3, 30};
	bool		within = true;
	bool		used = true;

	for (int i = 0; i < 5; i++)
		for (int columns = 2; columns <= 32; columns += 6)
		{
			DpTreeNoise noise;
			DpCurve		cost = {.pure = 0};
			DpCurve		tables = {.pure = 0};
			double		rho = dp_accounting_zcdp_max_rho(epsilons[i], 1e-9);

			if (dp_accounting_calibrate_tree(&noise, epsilons[i], 1e-9, columns, 3 * ROW, -DP_SYNTHESIS_WEIGHT_BITS) != NULL)
				abort();
			dp_accounting_add_noise(&tables, &noise.pairs);
			dp_accounting_add_noise(&tables, &noise.margins);
			dp_accounting_add_noise(&cost, &noise.tree);
			dp_accounting_compose(&cost, &tables);
			for (int j = 0; j < DP_ORDERS; j++)
			{
				within = within && cost.rdp[j] <= rho * dp_accounting_order[j] && noise.margins.groups == columns &&
					noise.pairs.groups == columns - 1 && noise.tree.groups == columns - 1;
				used = used && tables.rdp[j] >= 0.9199 * rho * dp_accounting_order[j];
			}
			used = used && (epsilons[i] > 3 || cost.rdp[0] >= 0.99 * rho * dp_accounting_order[0]);
		}
	ok(within, "all draws together cost no more than rho");
	ok(used, "and nearly that");
}

static void
test_refused_noise(void)
{
	DpTreeNoise noise;

	ok(dp_accounting_calibrate_tree(&noise, 0, 1e-9, 2, 1, 0) != NULL &&
	   dp_accounting_calibrate_tree(&noise, 1, 0, 2, 1, 0) != NULL &&
	   dp_accounting_calibrate_tree(&noise, 1, 1e-9, 1, 1, 0) != NULL &&
	   dp_accounting_calibrate_tree(&noise, 1, 1e-9, 2, 0, 0) != NULL &&
	   dp_accounting_calibrate_tree(&noise, 1e-9, 1e-9, 2, ROW << 31, 0) != NULL, "what cannot be drawn is refused");
}

/*
 * Without noise that matters, a tree's tables are exact, and others differ as it cannot tell.  With
 * noise of epsilon 1, the mean of 40 is near what the simulation has, 0.046: within fourteen of its
 * own standard deviations, 0.001.
 */
static void
test_titanic(void)
{
	const DpSynthesisNoise none = {1, 1, 1, 1};
	const DpSynthesisNoise one = noise_of(4, 1);
	int64_t		rows = 0;
	double		sum = 0;
	int64_t    *made = synthesize(&titanic_shape, titanic_tables(), &none, &rows);

	ok(rows == 2201, "as many rows as there were");
	rows = 1000000;
	made = synthesize(&titanic_shape, titanic_tables(), &none, &rows);
	sum = error_of(&titanic_shape, titanic_tables(), made, 2201, (double) rows);
	ok(fabs(sum - 0.0307) < 0.002, "a tree without noise, of many rows: %.4f", sum);
	give_back();
	sum = 0;
	for (int i = 0; i < 40; i++)
	{
		rows = 0;
		made = synthesize(&titanic_shape, titanic_tables(), &one, &rows);
		sum += error_of(&titanic_shape, titanic_tables(), made, 2201, (double) rows);
		give_back();
	}
	ok(sum / 40 > 0.035 && sum / 40 < 0.060, "at epsilon 1: %.4f", sum / 40);
}

/*
 * Cells of noise alone, which every column has one of, are left out where they are little, and no row is in
 * them then; where all are rare, none is left out.  What a unit moves scores by is no more for that.
 */
static void
test_left_out(void)
{
	const DpSynthesisShape shape = {2, {3, 3}};
	const DpSynthesisNoise noise = {10 * ROW, ROW, 1, 1};
	bool		right = true;
	int			left_out = 0;

	for (int round = 0; round < 400; round++)
	{
		const int64_t tables[] = {300 * ROW, 0, 0, 0, 300 * ROW, 0, 0, 0, 0};
		DpSynthesis *synthesis = dp_models_synthesis_make(&host, &shape, tables, &noise);
		DpSynthesisRows *rows;
		int32_t		cell[2];

		dp_models_synthesis_margins(synthesis);
		for (int i = 0; i < 2; i++)
		{
			bool		out = synthesis->class_of[i][2] == DP_SYNTHESIS_NO_CLASS;

			left_out += out;
			right = right && synthesis->classes[i] == (out ? 2 : 3) && out == (synthesis->own[i][2] < 7.5 * ROW);
		}
		dp_models_synthesis_draw_tree(synthesis);
		dp_models_synthesis_release(synthesis);
		dp_models_synthesis_fit(synthesis);
		rows = dp_models_synthesis_start(synthesis, 600);
		for (int j = 0; j < 600; j++)
		{
			dp_models_synthesis_next(rows, cell);
			for (int i = 0; i < 2; i++)
				right = right && (cell[i] < 2 || synthesis->class_of[i][2] != DP_SYNTHESIS_NO_CLASS);
		}
		give_back();
	}
	ok(right, "cells of noise alone are left out, and have no rows");
	ok(left_out > 480 && left_out < 740, "some three of four: %d of 800", left_out);
}

/*
 * A class of rare cells that is not left out loses 0.75 deviations of what is known of it, as it seems larger than it is: by its own table
 * alone, where there is no edge.
 */
static void
test_seeming(void)
{
	const DpSynthesisShape shape = {2, {3, 3}};
	const DpSynthesisNoise noise = {10 * ROW, ROW, 1, 1};
	const int64_t tables[] = {300 * ROW, 0, 0, 0, 300 * ROW, 0, 0, 0, 16 * ROW};
	double		off = 0;
	int			kept = 0;

	for (int round = 0; round < 400; round++)
	{
		DpSynthesis *synthesis = dp_models_synthesis_make(&host, &shape, tables, &noise);

		dp_models_synthesis_margins(synthesis);
		dp_models_synthesis_fit(synthesis);
		for (int i = 0; i < 2; i++)
			if (synthesis->class_of[i][2] == 2 && synthesis->own[i][2] < 30 * ROW && synthesis->margin[i][2] > 0)
			{
				kept++;
				off = fmax(off, fabs(synthesis->margin[i][0] - synthesis->margin[i][2] -
									 (synthesis->own[i][0] - synthesis->own[i][2] + 7.5 * ROW)) / ROW);
			}
		give_back();
	}
	ok(kept > 400 && off < 1e-6, "%d classes of rare cells lose 0.75 deviations", kept);
}

/* Of no row at all, of one, and of more cells than rows: there are rows, in cells that are there. */
static void
test_few_rows(void)
{
	const DpSynthesisShape shapes[] = {{2, {1, 1}}, {3, {1, 7, 2}}, {4, {40, 30, 2, 5}}};
	const DpSynthesisNoise one = noise_of(4, 0.1);
	bool		right = true;

	for (int i = 0; i < 3; i++)
		for (int n = 0; n < 3; n++)
		{
			int64_t		rows = n == 0 ? 0 : 1000;
			int64_t    *made = synthesize(&shapes[i], some_tables(&shapes[i], n), &one, &rows);
			int64_t		all = 0;

			for (int64_t j = 0; j < dp_models_synthesis_table_cells(&shapes[i]); j++)
				all += made[j];
			right = right && rows > 0 &&
				all == rows * ROW * shapes[i].columns * (shapes[i].columns - 1) / 2;
			give_back();
		}
	ok(right, "tables of few rows give rows as well");
}

/* Which row comes first is as likely as its cells' share; and all rows together have them all. */
static void
test_order(void)
{
	const DpSynthesisNoise none = {1, 1, 1, 1};
	const int64_t tables[] = {30 * ROW, 10 * ROW, 10 * ROW, 50 * ROW};
	const DpSynthesisShape shape = {2, {2, 2}};
	const long double law[] = {0.3L, 0.1L, 0.1L, 0.5L};
	long		first[4] = {0};
	long		second[4] = {0};
	bool		right = true;

	for (int i = 0; i < 4000; i++)
	{
		DpSynthesis *synthesis = dp_models_synthesis_make(&host, &shape, tables, &none);
		DpSynthesisRows *rows;
		long		all[4] = {0};
		int32_t		cell[2];

		dp_models_synthesis_margins(synthesis);
		dp_models_synthesis_draw_tree(synthesis);
		dp_models_synthesis_release(synthesis);
		dp_models_synthesis_fit(synthesis);
		rows = dp_models_synthesis_start(synthesis, 100);
		for (int j = 0; j < 100; j++)
		{
			dp_models_synthesis_next(rows, cell);
			all[2 * cell[0] + cell[1]]++;
			if (j == 0)
				first[2 * cell[0] + cell[1]]++;
			if (j == 70)
				second[2 * cell[0] + cell[1]]++;
		}
		for (int j = 0; j < 4; j++)
			right = right && fabs(all[j] - (double) (100 * law[j])) < 2;
		give_back();
	}
	ok(right, "rows have the tables' numbers");
	ok(fits(4, first, law) && fits(4, second, law), "in random order");
}

int
main(void)
{
	test_fitted();
	test_tables();
	test_limits();
	test_scores();
	test_score_by_hand();
	test_tree();
	test_cost();
	test_refused_noise();
	test_titanic();
	test_left_out();
	test_seeming();
	test_few_rows();
	test_order();
	ok(breaths > 1000, "and all of it takes breath");
	return done_testing();
}
