/* SPDX-License-Identifier: PostgreSQL */
/*
 * exact.h
 *	  Exact bounded totals over protected rows: the vocabulary shared by the
 *	  exact aggregates (schema dp_agg_internal), the rewriter that emits them and the
 *	  release node that adds noise to what they return.
 *
 * All arithmetic is in integers on a grid of 2^grid; see ACCOUNTING in doc/.
 */
#ifndef DP_AGGREGATE_EXACT_H
#define DP_AGGREGATE_EXACT_H

#include "postgres.h"

/*
 * Bounds of one aggregate, passed to the exact aggregates as a bytea constant
 * holding this struct; read once per aggregate state, never per row.
 */
typedef struct DpExactSpec
{
	int32		vl_len_;		/* varlena header */
	int32		grid;			/* k: one grid unit is 2^k of the value's unit */
	int64		lower;			/* lower bound, in grid units */
	int64		upper;			/* upper bound, in grid units; >= lower */
	int64		max_rows;		/* most rows of a unit that count in a group */
	double		lower_value;	/* the bounds in the value's unit: comparing */
	double		upper_value;	/* with these first keeps conversion in range */
} DpExactSpec;

/*
 * Result of exact aggregates, which the release node changes: a bytea of one or two
 * signed 128-bit integers.
 *
 *	 sum:  total
 *	 avg:  sum of (x - lower) in grid units, number of rows
 */
typedef struct DpTotals
{
	int32		vl_len_;
	int32		padding;
	int64		part[FLEXIBLE_ARRAY_MEMBER];	/* low, high halves of each total */
} DpTotals;

extern bytea *dp_aggregate_make_totals(int count, const __int128 *totals);

/*
 * How many totals a value holds that is neither compressed nor TOASTed; -1 if it holds
 * none.
 */
extern int	dp_aggregate_count_totals(const bytea *value);

extern void dp_aggregate_read_totals(const bytea *value, int count, __int128 *totals);

/* The same in fewer bytes where most totals are 0, of at most 256: what ladders have. */
extern bytea *dp_aggregate_make_few_totals(int count, const __int128 *totals);
extern void dp_aggregate_read_few_totals(const bytea *value, int count, __int128 *totals);

#endif							/* DP_AGGREGATE_EXACT_H */
