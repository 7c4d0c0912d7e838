/* SPDX-License-Identifier: PostgreSQL */
/*
 * simplex.h
 *	  Numbers made shares of a total, and tables made to agree with their margins.
 *
 * Plain C: no server header.  Nothing here reads exact data.
 */
#ifndef DP_MODELS_SIMPLEX_H
#define DP_MODELS_SIMPLEX_H

#include <stdint.h>

/*
 * Replace n >= 1 finite values by the nearest, in squares, that are >= 0 and add up to
 * total > 0.  They are max(value - threshold, 0).  The threshold is found by leaving
 * out, again and again, all that is below the threshold of those that are left
 * (Michelot 1986).
 */
extern void dp_models_project(double *value, int64_t n, double total, void (*breathe) (void));

/*
 * Replace a table of finite values by the nearest, in squares, that has these margins, which add up to the
 * same: add to each row, and then to each column, what its sum lacks, in equal parts.  Values may be below 0.
 * `sum` has room for a number a column.
 */
extern void dp_models_shift(double *table, int rows, int columns, const double *row_margin,
							const double *column_margin, double *sum, void (*breathe) (void));

/*
 * One round of proportional fitting: scale the rows of a table to their margins, then its columns to
 * theirs.  What has a sum of zero stays.
 */
extern void dp_models_fit_round(double *table, int rows, int columns, const double *row_margin,
								const double *column_margin, double *sum, void (*breathe) (void));

/*
 * How n >= 0 rows spread over shares >= 0, of which a greater number is more likely: floors of what is
 * expected, and the remainder by systematic sampling from `start` in [0, 1).  They add up to n, and each is
 * within 1 of what is expected.  Shares need not add up to 1; where all are zero they are equal.
 */
extern void dp_models_spread(int64_t n, const double *share, int stride, int shares, double start,
							 uint32_t *rows);

#endif							/* DP_MODELS_SIMPLEX_H */
