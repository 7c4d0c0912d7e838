/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthesis_rows.c
 *	  Rows with the fitted tables' numbers, in random order.
 */
#include <math.h>
#include <stdbool.h>

#include "models/simplex.h"
#include "models/synthesis_rows.h"
#include "noise/coins.h"
#include "noise/random.h"

/* Numbers that are summed up, so that few are looked at to find one. */
#define BLOCK 32

/* Urns with balls of so many kinds each: how many are left. */
typedef struct Urns
{
	int			kinds;
	int			blocks;			/* of BLOCK kinds */
	uint32_t   *left;			/* urn by urn */
	uint32_t   *block;			/* likewise: sums */
	uint32_t   *all;			/* of each urn */
} Urns;

/* A column, and where its class is drawn from: the urn of its parent's, or the only one. */
typedef struct Step
{
	int			column;
	int			parent;			/* -1: none */
	Urns		classes;
	Urns		rare;			/* cells of the class of rare ones */
	int			rare_class;		/* or -1: every class has one cell */
	int32_t    *cell;			/* of each class, or of each rare cell */
	int32_t    *rare_cell;
} Step;

struct DpSynthesisRows
{
	int			steps;
	Step		step[DP_SYNTHESIS_MOST_COLUMNS];
	int32_t		class[DP_SYNTHESIS_MOST_COLUMNS];	/* of the row being drawn */
};

/* Uniform in [0, 1). */
static double
uniform(void)
{
	return (double) (dp_noise_random64() >> 11) * 0x1p-53;
}

int64_t
dp_models_synthesis_row_count(const DpSynthesis *synthesis)
{
	double		rows = rint(ldexp(synthesis->total, -DP_SYNTHESIS_WEIGHT_BITS));

	return (int64_t) fmax(fmin(rows, DP_SYNTHESIS_MOST_ROWS), 1);
}

static void
make_urns(const DpSynthesisHost *host, Urns *urns, int64_t n, int kinds)
{
	urns->kinds = kinds;
	urns->blocks = (kinds + BLOCK - 1) / BLOCK;
	urns->left = host->allocate(n * kinds * sizeof(uint32_t));
	urns->block = host->allocate(n * urns->blocks * sizeof(uint32_t));
	urns->all = host->allocate(n * sizeof(uint32_t));
}

/* Fill an urn with balls of kinds in these shares. */
static void
fill_urn(Urns *urns, int urn, int64_t balls, const double *share, int stride)
{
	uint32_t   *left = urns->left + (int64_t) urn * urns->kinds;

	dp_models_spread(balls, share, stride, urns->kinds, uniform(), left);
	for (int i = 0; i < urns->kinds; i++)
		urns->block[(int64_t) urn * urns->blocks + i / BLOCK] += left[i];
	urns->all[urn] = (uint32_t) balls;
}

/* Draw a ball from an urn that has one: which kind it is.  Each ball is as likely as any other. */
static int
draw_ball(Urns *urns, int urn)
{
	uint32_t   *left = urns->left + (int64_t) urn * urns->kinds;
	uint32_t   *block = urns->block + (int64_t) urn * urns->blocks;
	uint64_t	ball = dp_noise_uniform_below(urns->all[urn]);
	int			i = 0;
	int			kind;

	for (; ball >= block[i]; i++)
		ball -= block[i];
	kind = i * BLOCK;
	for (; ball >= left[kind]; kind++)
		ball -= left[kind];
	left[kind]--;
	block[i]--;
	urns->all[urn]--;
	return kind;
}

/* How many balls of each kind all urns have. */
static void
count_kinds(const Urns *urns, int n, int64_t *count)
{
	for (int i = 0; i < urns->kinds; i++)
		count[i] = 0;
	for (int urn = 0; urn < n; urn++)
		for (int i = 0; i < urns->kinds; i++)
			count[i] += urns->left[(int64_t) urn * urns->kinds + i];
}

/*
 * Note the cells of a step's classes.  The last class has several where any are rare: which of them, is
 * drawn as their own noisy tables have it.
 */
static void
set_cells(const DpSynthesis *synthesis, Step *step, const int64_t *count)
{
	int			column = step->column;
	int			classes = synthesis->classes[column];
	int			cells = synthesis->shape.cells[column];
	double	   *share = synthesis->host->allocate(cells * sizeof(double));
	int			rare = 0;

	step->cell = synthesis->host->allocate(classes * sizeof(int32_t));
	step->rare_cell = synthesis->host->allocate(cells * sizeof(int32_t));
	for (int i = 0; i < cells; i++)
	{
		if (synthesis->class_of[column][i] == DP_SYNTHESIS_NO_CLASS)
			continue;
		step->cell[synthesis->class_of[column][i]] = i;
		if (synthesis->class_of[column][i] != classes - 1)
			continue;
		share[rare] = synthesis->likely[column][i];
		step->rare_cell[rare++] = i;
	}
	step->rare_class = rare > 1 ? classes - 1 : -1;
	make_urns(synthesis->host, &step->rare, 1, rare);
	fill_urn(&step->rare, 0, count[classes - 1], share, 1);
}

/* Settle a column without parent: so many rows of each class. */
static void
start_root(const DpSynthesis *synthesis, Step *step, int64_t rows, int64_t *count)
{
	make_urns(synthesis->host, &step->classes, 1, synthesis->classes[step->column]);
	fill_urn(&step->classes, 0, rows, synthesis->margin[step->column], 1);
	count_kinds(&step->classes, 1, count);
}

/* Settle a column given its parent, whose classes have so many rows. */
static void
start_child(const DpSynthesis *synthesis, Step *step, const DpSynthesisEdge *edge,
			const int64_t *parent_count, int64_t *count)
{
	int			kinds = synthesis->classes[step->column];
	int			urns = synthesis->classes[step->parent];
	bool		down = edge->first == step->parent;

	make_urns(synthesis->host, &step->classes, urns, kinds);
	for (int i = 0; i < urns; i++)
	{
		const double *share = down ? edge->table + (int64_t) i * kinds : edge->table + i;
		int			stride = down ? 1 : urns;
		double		sum = 0;

		for (int j = 0; j < kinds; j++)
			sum += share[(int64_t) j * stride];
		if (sum > 0)
			fill_urn(&step->classes, i, parent_count[i], share, stride);
		else
			fill_urn(&step->classes, i, parent_count[i], synthesis->margin[step->column], 1);
		if (i % 64 == 0)
			synthesis->host->breathe();
	}
	count_kinds(&step->classes, urns, count);
}

/* The numbers of rows in each class of each column; a column's are there once it was settled. */
typedef struct Counts
{
	int64_t    *count[DP_SYNTHESIS_MOST_COLUMNS];
} Counts;

static void
add_step(const DpSynthesis *synthesis, DpSynthesisRows *rows, Counts *counts, int column,
		 const DpSynthesisEdge *edge, int64_t n)
{
	Step	   *step = &rows->step[rows->steps++];

	step->column = column;
	counts->count[column] = synthesis->host->allocate(synthesis->classes[column] * sizeof(int64_t));
	if (edge == NULL)
	{
		step->parent = -1;
		start_root(synthesis, step, n, counts->count[column]);
	}
	else
	{
		step->parent = edge->first == column ? edge->second : edge->first;
		start_child(synthesis, step, edge, counts->count[step->parent], counts->count[column]);
	}
	set_cells(synthesis, step, counts->count[column]);
}

/* An edge between a column that was settled and one that was not, or NULL. */
static const DpSynthesisEdge *
next_edge(const DpSynthesis *synthesis, const Counts *counts)
{
	for (int i = 0; i < synthesis->edges; i++)
	{
		const DpSynthesisEdge *edge = &synthesis->edge[i];

		if ((counts->count[edge->first] == NULL) != (counts->count[edge->second] == NULL))
			return edge;
	}
	return NULL;
}

DpSynthesisRows *
dp_models_synthesis_start(const DpSynthesis *synthesis, int64_t n)
{
	DpSynthesisRows *rows = synthesis->host->allocate(sizeof(DpSynthesisRows));
	Counts		counts = {{NULL}};

	for (int root = 0; root < synthesis->shape.columns; root++)
	{
		const DpSynthesisEdge *edge;

		if (counts.count[root] != NULL)
			continue;
		add_step(synthesis, rows, &counts, root, NULL, n);
		while ((edge = next_edge(synthesis, &counts)) != NULL)
			add_step(synthesis, rows, &counts,
					 counts.count[edge->first] == NULL ? edge->first : edge->second, edge, n);
	}
	return rows;
}

void
dp_models_synthesis_next(DpSynthesisRows *rows, int32_t *cell)
{
	for (int i = 0; i < rows->steps; i++)
	{
		Step	   *step = &rows->step[i];
		int			class = draw_ball(&step->classes, step->parent < 0 ? 0 : rows->class[step->parent]);

		rows->class[step->column] = class;
		cell[step->column] = class == step->rare_class ?
			step->rare_cell[draw_ball(&step->rare, 0)] : step->cell[class];
	}
}
