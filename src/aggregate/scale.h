/* SPDX-License-Identifier: PostgreSQL */
/*
 * scale.h
 *	  Averaging a unit's rows down to those that count.
 *
 * Plain C: no server header.
 */
#ifndef DP_AGGREGATE_SCALE_H
#define DP_AGGREGATE_SCALE_H

#include <stdint.h>

/* Where units can have several rows, a row weighs up to 2^DP_CELL_WEIGHT_BITS in a cell. */
#define DP_CELL_WEIGHT_BITS 16

/*
 * Weight of each row of a unit of so many: for a unit with too many a part, rounded
 * down, so that all together weigh max_rows at most.
 */
static inline uint64_t
dp_aggregate_cells_row_weight(uint64_t rows, uint64_t max_rows)
{
	if (rows <= max_rows)
		return UINT64_C(1) << DP_CELL_WEIGHT_BITS;
	return (uint64_t) (((unsigned __int128) max_rows << DP_CELL_WEIGHT_BITS) / rows);
}

/*
 * sum * counted / rows to the nearest integer, ties to even, for counted <=
 * rows.  With sum <= rows * width the result is at most width * counted; what
 * does not fit 64 bits becomes the largest that does, so that the bound stands.
 */
static inline int64_t
dp_aggregate_scale_down(unsigned __int128 sum, uint64_t counted, uint64_t rows)
{
	unsigned __int128 whole = sum / rows * counted;
	unsigned __int128 rest = sum % rows * counted;
	unsigned __int128 result = whole + rest / rows;
	unsigned __int128 twice = rest % rows * 2;

	result += twice > rows || (twice == rows && (result & 1));
	return result > INT64_MAX ? INT64_MAX : (int64_t) result;
}

#endif							/* DP_AGGREGATE_SCALE_H */
