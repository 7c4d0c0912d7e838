/* SPDX-License-Identifier: PostgreSQL */
/*
 * kind_list.h
 *	  Kinds of release: the number of each and its table dp_kinds_..., in a file of src/kinds.
 *
 * No guard: whoever includes it says what DP_KIND is.  New ones stand at the end, since kept answers have
 * their numbers.
 */
DP_KIND(COUNT, count)			/* exact column: bigint */
DP_KIND(SUM, sum)				/* exact column: DpTotals of one */
DP_KIND(AVG, mean)				/* exact column: DpTotals of two */
DP_KIND(QUANTILE, quantile)		/* exact column: a summary, see aggregate/cells.h */
DP_KIND(MOMENTS, moments)		/* exact column: DpTotals of features */
DP_KIND(MODEL, model)			/* exact column: DpTotals of products of coordinates */
/* Exact column: rows of a model, see exact/weighted_rows.h; noise[0] is that of products of coordinates, choice
 * that of passes. */
DP_KIND(PASSES, passes)
DP_KIND(LOSSES, losses)			/* exact column: DpTotals of `size` losses */
/* Numbers of units by that of their groups, by which max_groups is chosen (chosen_groups.h).  Exact column: DpTotals
 * of one for each class; released: DpTotals of one, the class. */
DP_KIND(CLASSES, classes)
/* Exact column: pairs' tables, see exact/pair_tables.h; noise[0] is that of a two-way table's cells, noise[1] of a
 * one-way table's, choice of the draws of pairs (accounting/tree_tables.h). */
DP_KIND(TABLES, tables)
DP_KIND(GEOMETRIC_MEAN, geometric_mean)		/* exact column: DpTotals of two, of logarithms */
