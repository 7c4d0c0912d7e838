/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthesis_rows.h
 *	  Rows with the fitted tables' numbers, in random order.
 *
 * Plain C: no server header.  How many rows each cell of each table of the tree has is settled
 * first; rows are then drawn from these numbers without replacement, column by column given
 * the one before it in the tree.  That is as likely to give each order of rows as shuffling all of them, and
 * takes memory for the tables alone.
 */
#ifndef DP_MODELS_SYNTHESIS_ROWS_H
#define DP_MODELS_SYNTHESIS_ROWS_H

#include "models/synthesis.h"

typedef struct DpSynthesisRows DpSynthesisRows;

/* How many rows there are, with noise, rounded; from 1 to DP_SYNTHESIS_MOST_ROWS. */
extern int64_t dp_models_synthesis_row_count(const DpSynthesis *synthesis);

/* Settle the numbers of so many rows, up to DP_SYNTHESIS_MOST_ROWS. */
extern DpSynthesisRows *dp_models_synthesis_start(const DpSynthesis *synthesis, int64_t n);

/* The cell of each column of the next row: called once for each of the rows at most. */
extern void dp_models_synthesis_next(DpSynthesisRows *rows, int32_t *cell);

#endif							/* DP_MODELS_SYNTHESIS_ROWS_H */
