/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthetic_values.h
 *	  A synthetic row as it is released, and the values of its columns.
 *
 * It is a bytea: for each column the number of its cell from 1, or 0 for none, in two
 * bytes, the low one first.  For a column with bins six bytes follow: where in the bin
 * its value is, as a fraction of 2^48.  All that a kept answer shows again is in it.
 */
#ifndef DP_ASKING_SYNTHETIC_VALUES_H
#define DP_ASKING_SYNTHETIC_VALUES_H

#include "postgres.h"

#include "pricing/release.h"

/* Where a column's part of a row starts; that of the column behind the last is its length. */
extern int	dp_asking_synthetic_place(const DpSyntheticColumns *columns, int column);

/* A row to be filled in. */
extern bytea *dp_asking_make_synthetic_row(const DpSyntheticColumns *columns);

/* Fill it with cells, from 0, of which the last of a column may be none; where in bins, is drawn. */
extern void dp_asking_set_synthetic_row(bytea *row, const DpSyntheticColumns *columns, const int32 *cell);

#endif							/* DP_ASKING_SYNTHETIC_VALUES_H */
