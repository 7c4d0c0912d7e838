/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthesis_tree.c
 *	  Which pairs of columns a tree of tables has.
 *
 * Scores are sums of magnitudes of integers in 128 bits, cut to 62 bits, which moves none by more. What tables
 * are compared with is rounded to integers before exact tables are looked at; how is of no
 * concern to privacy, as it is the same whatever the rows.
 */
#include <math.h>
#include <stdbool.h>

#include "models/synthesis_tables.h"
#include "models/synthesis_tree.h"
#include "noise/selection.h"

#define MOST_PAIRS (DP_SYNTHESIS_MOST_COLUMNS * (DP_SYNTHESIS_MOST_COLUMNS - 1) / 2)
#define MOST_SCORE (INT64_C(1) << 61)

/* Mean magnitude of a standard normal variable. */
#define MEAN_DEVIATION 0.79788456080286535588

void
dp_models_synthesis_merge_classes(const DpSynthesis *synthesis, int first, int second)
{
	const DpSynthesisShape *shape = &synthesis->shape;
	const int64_t *table = synthesis->tables + dp_models_synthesis_table_start(shape, first, second);
	int64_t		classes = synthesis->classes[second];

	for (int64_t i = 0; i < classes * synthesis->classes[first]; i++)
		synthesis->room[i] = 0;
	for (int i = 0; i < shape->cells[first]; i++)
	{
		int32_t		class = synthesis->class_of[first][i];

		for (int j = 0; j < shape->cells[second]; j++, table++)
			if (class != DP_SYNTHESIS_NO_CLASS && synthesis->class_of[second][j] != DP_SYNTHESIS_NO_CLASS)
			{
				int64_t    *to = &synthesis->room[class * classes + synthesis->class_of[second][j]];

				*to = dp_models_synthesis_plus(*to, *table);
			}
		if (i % 64 == 0)
			synthesis->host->breathe();
	}
}

/* A number >= 0 as an integer. */
static int64_t
whole(double number)
{
	return number < 0x1p61 ? (int64_t) rint(number) : MOST_SCORE;
}

/* How many rows each class of a column is likely to have. */
static void
sum_likely(const DpSynthesis *synthesis, int column, double *likely)
{
	for (int i = 0; i < synthesis->classes[column]; i++)
		likely[i] = 0;
	for (int i = 0; i < synthesis->shape.cells[column]; i++)
		if (synthesis->class_of[column][i] != DP_SYNTHESIS_NO_CLASS)
			likely[synthesis->class_of[column][i]] += synthesis->likely[column][i];
}

/* Difference that noise alone makes in a table of a pair. */
static int64_t
noise_of_pair(const DpSynthesis *synthesis, int first, int second)
{
	return whole(MEAN_DEVIATION * (double) synthesis->noise.pair_sigma * synthesis->classes[first] *
				 synthesis->classes[second]);
}

/* The sum of what the cells of the pair's table in the room differ by from those of independent columns. */
static __int128
distance(const DpSynthesis *synthesis, int first, int second)
{
	const int64_t *table = synthesis->room;
	double		of_first[DP_SYNTHESIS_MOST_CELLS];
	double		of_second[DP_SYNTHESIS_MOST_CELLS];
	__int128	sum = 0;

	sum_likely(synthesis, first, of_first);
	sum_likely(synthesis, second, of_second);
	for (int i = 0; i < synthesis->classes[first]; i++)
	{
		for (int j = 0; j < synthesis->classes[second]; j++)
		{
			int64_t		independent = whole(of_first[i] * of_second[j] / synthesis->total);
			int64_t		cell = *table++;

			sum += cell < independent ? independent - cell : cell - independent;
		}
		if (i % 64 == 0)
			synthesis->host->breathe();
	}
	return sum;
}

int64_t
dp_models_synthesis_score(const DpSynthesis *synthesis, int first, int second)
{
	__int128	score;

	dp_models_synthesis_merge_classes(synthesis, first, second);
	score = distance(synthesis, first, second) - noise_of_pair(synthesis, first, second);
	if (score > MOST_SCORE)
		return MOST_SCORE;
	return score < -MOST_SCORE ? -MOST_SCORE : (int64_t) score;
}

/* Candidates: all pairs, and "none", which is the last and has score 0. */
typedef struct Candidates
{
	int			n;
	int			first[MOST_PAIRS];
	int			second[MOST_PAIRS];
	int64_t		score[MOST_PAIRS + 1];
	bool		taken[MOST_PAIRS + 1];
} Candidates;

static Candidates *
score_all(const DpSynthesis *synthesis)
{
	Candidates *all = synthesis->host->allocate(sizeof(Candidates));

	for (int i = 0; i < synthesis->shape.columns; i++)
		for (int j = i + 1; j < synthesis->shape.columns; j++)
		{
			all->first[all->n] = i;
			all->second[all->n] = j;
			all->score[all->n++] = dp_models_synthesis_score(synthesis, i, j);
		}
	return all;
}

/* Connect the columns of a pair, and take out all pairs that are connected now. */
static void
connect(Candidates *all, int *component, int columns, int pair)
{
	int			old = component[all->second[pair]];
	int			new = component[all->first[pair]];

	for (int i = 0; i < columns; i++)
		if (component[i] == old)
			component[i] = new;
	for (int i = 0; i < all->n; i++)
		all->taken[i] = component[all->first[i]] == component[all->second[i]];
}

/* Where a draw is "none", that was the last: the others are paid for and not made. */
void
dp_models_synthesis_draw_tree(DpSynthesis *synthesis)
{
	Candidates *all = score_all(synthesis);
	int			component[DP_SYNTHESIS_MOST_COLUMNS];

	for (int i = 0; i < synthesis->shape.columns; i++)
		component[i] = i;
	for (int i = 0; i < synthesis->shape.columns - 1; i++)
	{
		int			pair = (int) dp_noise_gumbel_greatest(all->score, all->taken, all->n + 1, 0,
														  synthesis->noise.scale_num,
														  synthesis->noise.scale_den);

		synthesis->host->breathe();
		if (pair == all->n)
			break;
		synthesis->edge[synthesis->edges++] = (DpSynthesisEdge) {
			.first = all->first[pair], .second = all->second[pair]
		};
		connect(all, component, synthesis->shape.columns, pair);
	}
}
