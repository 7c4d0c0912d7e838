/*
 * scale.h
 *	  Averaging a unit's rows down to those that count.
 *
 * Plain C: no server header.
 */
#ifndef DP_AGGREGATE_SCALE_H
#define DP_AGGREGATE_SCALE_H

#include <stdint.h>

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
