/* SPDX-License-Identifier: PostgreSQL */
/*
 * state.h
 *	  The transition state of the exact aggregates over rows.
 *
 * exact_sum, exact_avg, exact_rows and unit_part keep the same state
 * by the same transition function: PostgreSQL computes it once for several of
 * them over the same arguments.  unit_sum_part differs in the row limits only.
 */
#ifndef DP_AGGREGATE_STATE_H
#define DP_AGGREGATE_STATE_H

#include "postgres.h"

#include "fmgr.h"

#include "aggregate/grid.h"

/*
 * What the states of one aggregate share: in memory that outlives them, found
 * again through the FmgrInfo of the function that makes states.
 */
typedef struct DpExactBounds
{
	int64		low;			/* a row's limits: lower and upper, or the grid's */
	int64		high;
	DpGrid		grid;
	int64		lower;			/* from the DpExactSpec, in grid units */
	int64		upper;
	int64		max_rows;
} DpExactBounds;

/*
 * One small chunk per group in the aggregate's context.
 * rows * low <= total <= rows * high.
 */
typedef struct DpExactState
{
	int128		total;			/* sum of the rows' places, each in low ... high */
	int64		rows;			/* rows counted */
	int64		skipped;		/* rows not counted: NULL or NaN */
	const DpExactBounds *bounds;
} DpExactState;

/*
 * A fresh state in the memory context of the aggregate being computed, with
 * bounds from argument 2 of its transition function.  Each row is to be
 * clamped to the bounds if `clamped`, otherwise to the limits of the grid only.
 * Errors: 22023 if the argument is not a sane DpExactSpec.
 */
extern DpExactState *dp_aggregate_new_state(FunctionCallInfo fcinfo, bool clamped);

/* Refuse bytes that hold no sane bounds, specification or state (22023). */
extern void dp_aggregate_refuse(const char *what);

/* The aggregate's memory context; an error outside an aggregate. */
extern MemoryContext dp_aggregate_context(FunctionCallInfo fcinfo);

#endif							/* DP_AGGREGATE_STATE_H */
