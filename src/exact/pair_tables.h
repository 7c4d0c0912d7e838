/* SPDX-License-Identifier: PostgreSQL */
/*
 * pair_tables.h
 *	  The two-way tables of all pairs of columns, of all rows.
 *
 *		exact_pair_tables(spec bytea, rows bigint, cell int4, ...)
 *
 * is a bytea of DP_TABLES_OFFSET - 4 bytes of padding, and the cells of all tables (models/synthesis_tables.h),
 * each 64 bits: what the rows in it weigh.  A row weighs 2^DP_SYNTHESIS_WEIGHT_BITS, less where its unit
 * has more than max_rows.  NULL without rows.
 */
#ifndef DP_EXACT_PAIR_TABLES_H
#define DP_EXACT_PAIR_TABLES_H

#include "postgres.h"

#include "pricing/aggregate_args.h"

/* The tables of a measure, of rows whose units have so many each, and that are in these cells. */
extern Node *dp_exact_exact_pair_tables(const DpMeasure *measure, Node *rows, List *cells);

/* Copies of the cells of a measure. */
extern List *dp_exact_cells_of(const DpMeasure *measure);

#endif							/* DP_EXACT_PAIR_TABLES_H */
