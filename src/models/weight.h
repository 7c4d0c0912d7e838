/* SPDX-License-Identifier: PostgreSQL */
/*
 * weight.h
 *	  What rows of a unit weigh.
 *
 * Plain C: no server header.
 */
#ifndef DP_MODELS_WEIGHT_H
#define DP_MODELS_WEIGHT_H

#include <stdint.h>

/* Rows of units with several weigh up to 2^16. */
#define DP_ROW_WEIGHT_BITS 16

/*
 * Weight of a row of a unit with so many >= 1: those of a unit weigh max_rows 2^bits at
 * most together, as a part that is rounded down times their number is no more than the
 * whole.
 */
static inline int64_t
dp_models_weight(int32_t max_rows, int bits, int64_t rows)
{
	if (rows <= max_rows)
		return INT64_C(1) << bits;
	return ((int64_t) max_rows << bits) / rows;
}

#endif							/* DP_MODELS_WEIGHT_H */
