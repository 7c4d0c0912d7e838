/* SPDX-License-Identifier: PostgreSQL */
/*
 * part.h
 *	  What one server hands to another: what some of a unit's rows add up to.
 */
#ifndef DP_AGGREGATE_PART_H
#define DP_AGGREGATE_PART_H

#include "postgres.h"

/* rows * low <= total <= rows * high */
typedef struct DpPart
{
	int128		total;			/* sum of the rows' places, each in low ... high */
	int64		rows;
} DpPart;

/*
 * Read what unit_part returned, of rows clamped to low ... high, or unit_sum_part, of rows
 * clamped to the grid's limits.  Errors: 22023 unless it was made so, on this grid, and can have been.
 */
extern DpPart dp_aggregate_read_part(const bytea *value, int grid, int64 low, int64 high);

/* Raise 22023: a part that no rows make. */
extern void dp_aggregate_refuse_part(void);

#endif							/* DP_AGGREGATE_PART_H */
