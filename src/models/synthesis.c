/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthesis.c
 *	  From exact tables to noisy ones of a tree that agree with each other.
 */
#include <math.h>
#include <stdbool.h>

#include "models/simplex.h"
#include "models/synthesis.h"
#include "models/synthesis_tables.h"
#include "models/synthesis_tree.h"
#include "noise/sampler.h"

/* Cells of less than so many standard deviations are rare. */
#define RARE_DEVIATIONS 3

/* A class of rare cells is left out if all of it is less than so many standard deviations. */
#define LEAST_DEVIATIONS 0.75

/* One that is not left out seems to be larger than it is by so many, on average: as much is taken off. */
#define SEEMING_DEVIATIONS 0.75

/* Rounds of proportional fitting; and how much of independent columns a table has at least. */
#define FIT_ROUNDS 30
#define INDEPENDENT_SHARE 1e-6

static double *
allocate_numbers(const DpSynthesis *synthesis, int64_t n)
{
	return synthesis->host->allocate(n * sizeof(double));
}

DpSynthesis *
dp_models_synthesis_make(const DpSynthesisHost *host, const DpSynthesisShape *shape, const int64_t *tables,
						 const DpSynthesisNoise *noise)
{
	DpSynthesis *synthesis = host->allocate(sizeof(DpSynthesis));

	synthesis->host = host;
	synthesis->shape = *shape;
	synthesis->tables = tables;
	synthesis->noise = *noise;
	return synthesis;
}

/* An exact cell with Gaussian noise. */
static double
noisy(int64_t exact, uint64_t sigma)
{
	return (double) (exact + dp_noise_discrete_gaussian(sigma));
}

/* Draw the one-way table of each column. */
static void
draw_margins(DpSynthesis *synthesis)
{
	int64_t    *exact = synthesis->host->allocate(DP_SYNTHESIS_MOST_CELLS * sizeof(int64_t));

	for (int i = 0; i < synthesis->shape.columns; i++)
	{
		int			cells = synthesis->shape.cells[i];

		dp_models_synthesis_sum_out(&synthesis->shape, synthesis->tables, i, exact);
		synthesis->own[i] = allocate_numbers(synthesis, cells);
		for (int j = 0; j < cells; j++)
			synthesis->own[i][j] = noisy(exact[j], synthesis->noise.margin_sigma);
		synthesis->host->breathe();
	}
}

/* The variance of a table's sum is proportional to its number of cells. */
static double
estimate_total(const DpSynthesis *synthesis)
{
	double		sum = 0;
	double		weights = 0;

	for (int i = 0; i < synthesis->shape.columns; i++)
	{
		double		own = 0;

		for (int j = 0; j < synthesis->shape.cells[i]; j++)
			own += synthesis->own[i][j];
		sum += own / synthesis->shape.cells[i];
		weights += 1.0 / synthesis->shape.cells[i];
	}
	return fmax(sum / weights, (double) (1 << DP_SYNTHESIS_WEIGHT_BITS));
}

/* Is there little in a cell, by its column's own table? */
static bool
is_rare(const DpSynthesis *synthesis, int column, int cell)
{
	return synthesis->own[column][cell] < RARE_DEVIATIONS * (double) synthesis->noise.margin_sigma;
}

/* Are there no more rows in rare cells than noise would have there?  Where all cells are rare, none is left out. */
static bool
is_noise(const DpSynthesis *synthesis, int column)
{
	double		sum = 0;
	int			cells = 0;

	for (int i = 0; i < synthesis->shape.cells[column]; i++)
		if (is_rare(synthesis, column, i))
		{
			sum += synthesis->own[column][i];
			cells++;
		}
	return cells < synthesis->shape.cells[column] &&
		sum < LEAST_DEVIATIONS * (double) synthesis->noise.margin_sigma * sqrt(cells);
}

/* Number the classes of a column's cells: rare ones are the last, or left out. */
static void
set_classes(DpSynthesis *synthesis, int column)
{
	int			cells = synthesis->shape.cells[column];
	int32_t    *class_of = synthesis->host->allocate(cells * sizeof(int32_t));
	int			classes = 0;
	bool		noise = is_noise(synthesis, column);
	bool		any_rare = false;

	for (int i = 0; i < cells; i++)
		if (!is_rare(synthesis, column, i))
			class_of[i] = classes++;
	for (int i = 0; i < cells; i++)
		if (is_rare(synthesis, column, i))
		{
			class_of[i] = noise ? DP_SYNTHESIS_NO_CLASS : classes;
			any_rare = !noise;
		}
	synthesis->class_of[column] = class_of;
	synthesis->classes[column] = classes + any_rare;
}

/* The cells of the largest table that a pair has. */
static int64_t
largest_table(const DpSynthesis *synthesis)
{
	int64_t		largest = 0;
	int64_t		next = 0;

	for (int i = 0; i < synthesis->shape.columns; i++)
	{
		int64_t		classes = synthesis->classes[i];

		next = classes > largest ? largest : classes > next ? classes : next;
		largest = classes > largest ? classes : largest;
	}
	return largest * next;
}

void
dp_models_synthesis_margins(DpSynthesis *synthesis)
{
	draw_margins(synthesis);
	synthesis->total = estimate_total(synthesis);
	for (int i = 0; i < synthesis->shape.columns; i++)
	{
		int			cells = synthesis->shape.cells[i];

		set_classes(synthesis, i);
		synthesis->likely[i] = allocate_numbers(synthesis, cells);
		for (int j = 0; j < cells; j++)
			synthesis->likely[i][j] = synthesis->own[i][j];
		dp_models_project(synthesis->likely[i], cells, synthesis->total, synthesis->host->breathe);
	}
	synthesis->room = synthesis->host->allocate(largest_table(synthesis) * sizeof(int64_t));
}

void
dp_models_synthesis_release(DpSynthesis *synthesis)
{
	for (int i = 0; i < synthesis->edges; i++)
	{
		DpSynthesisEdge *edge = &synthesis->edge[i];
		int64_t		cells = (int64_t) synthesis->classes[edge->first] * synthesis->classes[edge->second];

		dp_models_synthesis_merge_classes(synthesis, edge->first, edge->second);
		edge->table = allocate_numbers(synthesis, cells);
		for (int64_t j = 0; j < cells; j++)
		{
			if (j % 1024 == 0)
				synthesis->host->breathe();
			edge->table[j] = noisy(synthesis->room[j], synthesis->noise.pair_sigma);
		}
	}
}

/* The sums of a table for each class of one of its columns, in variances of that many cells. */
static void
add_evidence(const DpSynthesis *synthesis, const DpSynthesisEdge *edge, int column, double *sum,
			 double *weight)
{
	int			first = synthesis->classes[edge->first];
	int			second = synthesis->classes[edge->second];
	double		variance = (double) synthesis->noise.pair_sigma * (double) synthesis->noise.pair_sigma *
		(column == edge->first ? second : first);

	for (int i = 0; i < first; i++)
	{
		for (int j = 0; j < second; j++)
			sum[column == edge->first ? i : j] += edge->table[(int64_t) i * second + j] / variance;
		if (i % 64 == 0)
			synthesis->host->breathe();
	}
	for (int i = 0; i < synthesis->classes[column]; i++)
		weight[i] += 1 / variance;
}

/* The class of a column's rare cells, or DP_SYNTHESIS_NO_CLASS. */
static int
rare_class(const DpSynthesis *synthesis, int column)
{
	for (int i = 0; i < synthesis->shape.cells[column]; i++)
		if (is_rare(synthesis, column, i))
			return synthesis->class_of[column][i];
	return DP_SYNTHESIS_NO_CLASS;
}

/*
 * A column's margin: what its own table and its edges' tables say of each class, weighted by the inverse
 * of their variances, projected onto the simplex.
 */
static double *
fit_margin(const DpSynthesis *synthesis, int column)
{
	int			classes = synthesis->classes[column];
	double		variance = (double) synthesis->noise.margin_sigma * (double) synthesis->noise.margin_sigma;
	double	   *sum = allocate_numbers(synthesis, classes);
	double	   *weight = allocate_numbers(synthesis, classes);
	double	   *cells = allocate_numbers(synthesis, classes);
	int			rare = rare_class(synthesis, column);

	for (int i = 0; i < synthesis->shape.cells[column]; i++)
	{
		if (synthesis->class_of[column][i] == DP_SYNTHESIS_NO_CLASS)
			continue;
		sum[synthesis->class_of[column][i]] += synthesis->own[column][i];
		cells[synthesis->class_of[column][i]]++;
	}
	for (int i = 0; i < classes; i++)
	{
		weight[i] = 1 / (cells[i] * variance);
		sum[i] *= weight[i];
	}
	for (int i = 0; i < synthesis->edges; i++)
		if (synthesis->edge[i].first == column || synthesis->edge[i].second == column)
			add_evidence(synthesis, &synthesis->edge[i], column, sum, weight);
	for (int i = 0; i < classes; i++)
		sum[i] /= weight[i];
	if (rare != DP_SYNTHESIS_NO_CLASS)
		sum[rare] -= SEEMING_DEVIATIONS / sqrt(weight[rare]);
	dp_models_project(sum, classes, synthesis->total, synthesis->host->breathe);
	return sum;
}

/*
 * Make an edge's table agree with the margins of its columns, which know more than it: first by squares, while its
 * noise is as it was drawn, and then, since what is below zero is cut, by proportions.
 */
static void
fit_table(const DpSynthesis *synthesis, const DpSynthesisEdge *edge)
{
	int			first = synthesis->classes[edge->first];
	int			second = synthesis->classes[edge->second];
	const double *rows = synthesis->margin[edge->first];
	const double *columns = synthesis->margin[edge->second];
	double	   *sum = allocate_numbers(synthesis, second);

	dp_models_shift(edge->table, first, second, rows, columns, sum, synthesis->host->breathe);
	dp_models_project(edge->table, (int64_t) first * second, synthesis->total, synthesis->host->breathe);
	for (int i = 0; i < first; i++)
		for (int j = 0; j < second; j++)
			edge->table[(int64_t) i * second + j] += INDEPENDENT_SHARE * rows[i] * columns[j] / synthesis->total;
	for (int i = 0; i < FIT_ROUNDS; i++)
		dp_models_fit_round(edge->table, first, second, rows, columns, sum, synthesis->host->breathe);
}

void
dp_models_synthesis_fit(DpSynthesis *synthesis)
{
	for (int i = 0; i < synthesis->shape.columns; i++)
		synthesis->margin[i] = fit_margin(synthesis, i);
	for (int i = 0; i < synthesis->edges; i++)
		fit_table(synthesis, &synthesis->edge[i]);
}
