/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthesis.h
 *	  Synthetic rows from a private tree of two-way tables, after McKenna, Miklau, Sheldon,
 *	  "Winning the NIST Contest" (2021).
 *
 * Plain C: no server header.  k columns have cells 0 .. n - 1 each, and a row is in one cell of each.
 * The steps, in order:
 *
 *		1. dp_models_synthesis_add		all pairs' tables, of the rows (synthesis_tables.h)
 *		2. dp_models_synthesis_margins	one-way tables with noise: number of rows, rare cells
 *		3. dp_models_synthesis_draw_tree	pairs whose tables say most that is not known yet
 *		4. dp_models_synthesis_release	their tables with noise
 *		5. dp_models_synthesis_fit		tables that agree with each other
 *		6. dp_models_synthesis_start, dp_models_synthesis_next	rows (synthesis_rows.h)
 *
 * Exact tables are read in steps 2 to 4 alone, and leave each through an exact draw of the noise
 * room; what follows is computed from what these released.  Proofs: doc/accounting.md.
 */
#ifndef DP_MODELS_SYNTHESIS_H
#define DP_MODELS_SYNTHESIS_H

#include <stddef.h>

#include "models/weight.h"

#define DP_SYNTHESIS_MOST_COLUMNS 32
#define DP_SYNTHESIS_MOST_CELLS 1024	/* of a column */
#define DP_SYNTHESIS_MOST_TABLES (1 << 22)	/* cells of all pairs' tables */
#define DP_SYNTHESIS_MOST_ROWS 10000000

/* Weight of one row in the tables of steps 2 to 4: 2^16. */
#define DP_SYNTHESIS_WEIGHT_BITS DP_ROW_WEIGHT_BITS

/* Class of a cell that only noise seems to be in: synthetic rows are not in it. */
#define DP_SYNTHESIS_NO_CLASS (-1)

/* The cells of each column. */
typedef struct DpSynthesisShape
{
	int32_t		columns;
	int32_t		cells[DP_SYNTHESIS_MOST_COLUMNS];
} DpSynthesisShape;

/* Where the steps get memory, which nobody gives back, and how they stay interruptible. */
typedef struct DpSynthesisHost
{
	void	   *(*allocate) (size_t size);	/* zeros; does not return if there are none */
	void		(*breathe) (void);	/* called at least once in a few milliseconds; may not return */
} DpSynthesisHost;

/*
 * Parameters of the draws of steps 2 to 4: standard deviations, and a scale of
 * scores.
 */
typedef struct DpSynthesisNoise
{
	uint64_t	margin_sigma;
	uint64_t	pair_sigma;
	uint64_t	scale_num;
	uint64_t	scale_den;
} DpSynthesisNoise;

/* An edge of the tree, first < second, and the table of its two columns: first * second cells. */
typedef struct DpSynthesisEdge
{
	int			first;
	int			second;
	double	   *table;
} DpSynthesisEdge;

/* All that is known after each step.  Weights are those of the tables. */
typedef struct DpSynthesis
{
	const DpSynthesisHost *host;
	DpSynthesisShape shape;
	const int64_t *tables;		/* exact, of all pairs; not read by step 5 and beyond */
	DpSynthesisNoise noise;
	double		total;			/* of all rows, with noise; at least one row's */
	double	   *own[DP_SYNTHESIS_MOST_COLUMNS]; /* of each column's cells, with noise, */
	double	   *likely[DP_SYNTHESIS_MOST_COLUMNS];	/* and projected onto the simplex */
	int32_t		classes[DP_SYNTHESIS_MOST_COLUMNS]; /* cells, where rare ones are one */
	int32_t    *class_of[DP_SYNTHESIS_MOST_COLUMNS];	/* or DP_SYNTHESIS_NO_CLASS */
	int64_t    *room;			/* for a pair's exact table, in cells of classes */
	int			edges;
	DpSynthesisEdge edge[DP_SYNTHESIS_MOST_COLUMNS - 1];
	double	   *margin[DP_SYNTHESIS_MOST_COLUMNS];	/* of classes, as fitted */
} DpSynthesis;

/* A synthesis of these tables, which a row adds 2^DP_SYNTHESIS_WEIGHT_BITS to. */
extern DpSynthesis *dp_models_synthesis_make(const DpSynthesisHost *host, const DpSynthesisShape *shape,
											 const int64_t *tables, const DpSynthesisNoise *noise);

/*
 * Draw the one-way tables.  The total is estimated from their sums, weighted by their
 * numbers of cells; cells of less than three standard deviations become one class, or
 * none if all of them are little.
 */
extern void dp_models_synthesis_margins(DpSynthesis *synthesis);

/*
 * Draw columns - 1 edges by the exponential mechanism, each of the pairs that no path connects yet,
 * or of "none", which is the last.  The score of a pair is what its table differs by from that of
 * independent columns, less what noise would differ by.
 */
extern void dp_models_synthesis_draw_tree(DpSynthesis *synthesis);

/* Draw the tables of the tree's edges. */
extern void dp_models_synthesis_release(DpSynthesis *synthesis);

/* Make margins of all that was drawn, and tables that have them. */
extern void dp_models_synthesis_fit(DpSynthesis *synthesis);

#endif							/* DP_MODELS_SYNTHESIS_H */
