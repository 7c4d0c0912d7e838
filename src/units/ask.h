/* SPDX-License-Identifier: PostgreSQL */
/*
 * ask.h
 *	  What the rewriter asks of the node: the second argument constant of the
 *	  aggregate dp_agg_internal.over_units(unit, value, ask), which exists only to carry
 *	  these expressions through the planner.
 */
#ifndef DP_UNITS_ASK_H
#define DP_UNITS_ASK_H

#include "postgres.h"

#include "units/accumulate.h"

/* Cells of all of a query's quantiles, at most: 32 MB for an array of their weights. */
#define DP_UNITS_MOST_CELLS (INT64CONST(1) << 22)

/* A bytea constant holding this struct; the fields of a DpExactSpec in it. */
typedef struct DpUnitsAsk
{
	int32		vl_len_;		/* varlena header */
	int32		kind;			/* DpUnitsKind */
	int32		grid;
	int32		max_groups;		/* the same in all of a query */
	int64		lower;
	int64		upper;
	int64		max_rows;
	int64		width_y;		/* of moments */
	int32		shape;			/* likewise: DpMomentsShape */
	int32		cells;			/* of a quantile; and */
	uint64		multiplier;		/* likewise, see DpCellSpec */
	DpLadder	ladder;			/* of clamps, as of DpUnitsMeasure */
	int32		rows_are_units; /* 1: no two rows share a unit; the same in all of a query */
	int32		by_parts;		/* 1: values are what rows of a unit and group add up to, see
								 * rows.h; likewise */
} DpUnitsAsk;

#endif							/* DP_UNITS_ASK_H */
