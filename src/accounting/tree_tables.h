/* SPDX-License-Identifier: PostgreSQL */
/*
 * tree_tables.h
 *	  Noise of a private tree of two-way tables: for one epsilon, one-way tables of all columns, draws of
 *	  the pairs that are its edges, and the tables of these.
 *
 * Plain C: no server header.  Proofs: doc/accounting.md.
 */
#ifndef DP_ACCOUNTING_TREE_TABLES_H
#define DP_ACCOUNTING_TREE_TABLES_H

#include "accounting/calibrate.h"

/* Parameters of the draws. */
typedef struct DpTreeNoise
{
	DpNoise		pairs;			/* of the cells of columns - 1 two-way tables */
	DpNoise		margins;		/* of the cells of one-way tables, one a column */
	DpNoise		tree;			/* of columns - 1 draws */
	double		tree_epsilon;	/* pure epsilon of these */
} DpTreeNoise;

/*
 * Calibrate for columns >= 2, of which a privacy unit moves each table's cells by at most `sensitivity` grid
 * units in all, and each score by as much, up or down.  All together cost no more at any order than
 * Gaussian noise of rho = the greatest that is (epsilon, delta)-private; but for one grid unit at least of a
 * standard deviation, they cost that.  Returns NULL, or what is wrong with the arguments, as
 * dp_accounting_calibrate.
 */
extern const char *dp_accounting_calibrate_tree(DpTreeNoise *noise, double epsilon, double delta, int columns,
												uint64_t sensitivity, int grid);

#endif							/* DP_ACCOUNTING_TREE_TABLES_H */
