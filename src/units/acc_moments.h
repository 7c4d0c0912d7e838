/* SPDX-License-Identifier: PostgreSQL */
/*
 * acc_moments.h
 *	  Accumulators of moments: sums of monomials of a unit's rows in one group.
 *
 * Plain C: no server header.
 */
#ifndef DP_UNITS_ACC_MOMENTS_H
#define DP_UNITS_ACC_MOMENTS_H

#include "units/measure.h"
#include "units/memory.h"

/* Bytes of the sum of a monomial other than the first, for 2^32 rows. */
static inline int
dp_units_acc_moment_size(DpMomentsShape shape, int monomial)
{
	int			bits = 32 + dp_aggregate_moments_bits(shape) * dp_aggregate_moments_degree(shape, monomial);

	return bits <= 64 ? 8 : bits <= 96 ? 12 : 16;
}

/* Rows, which are the first sum, and the others. */
static inline int
dp_units_acc_moments_size(DpMomentsShape shape)
{
	int			size = 4;

	for (int i = 1; i < dp_aggregate_moments_parts(shape); i++)
		size += dp_units_acc_moment_size(shape, i);
	return size;
}

/*
 * Moments: rows, then the sums of the other monomials, in so many bytes each.  Where
 * the shape is known when this is compiled, so is where each lies.
 */
static DP_ALWAYS_INLINE void
dp_units_acc_load_moments(DpMomentsShape shape, const uint8_t *acc, DpMoment *sums)
{
	sums[0] = dp_units_acc_load32(acc);
	acc += 4;
#pragma GCC unroll 8
	for (int i = 1; i < dp_aggregate_moments_parts(shape); i++)
	{
		int			size = dp_units_acc_moment_size(shape, i);

		sums[i] = dp_units_acc_load64(acc);
		if (size == 12)
			sums[i] |= (DpMoment) dp_units_acc_load32(acc + 8) << 64;
		else if (size == 16)
			sums[i] |= (DpMoment) dp_units_acc_load64(acc + 8) << 64;
		acc += size;
	}
}

static DP_ALWAYS_INLINE void
dp_units_acc_store_moments(DpMomentsShape shape, uint8_t *acc, const DpMoment *sums)
{
	dp_units_acc_store32(acc, (uint32_t) sums[0]);
	acc += 4;
#pragma GCC unroll 8
	for (int i = 1; i < dp_aggregate_moments_parts(shape); i++)
	{
		int			size = dp_units_acc_moment_size(shape, i);

		dp_units_acc_store64(acc, (uint64_t) sums[i]);
		if (size == 12)
			dp_units_acc_store32(acc + 8, (uint32_t) (sums[i] >> 64));
		else if (size == 16)
			dp_units_acc_store64(acc + 8, (uint64_t) (sums[i] >> 64));
		acc += size;
	}
}

/* A row: the place of one value, or a pair of places. */
static DP_ALWAYS_INLINE void
dp_units_acc_count_moments(const DpUnitsMeasure *measure, DpMomentsShape shape, DpMoment *sums,
						   int64_t place)
{
	int64_t		x;
	int64_t		y = 0;

	if (shape == DP_MOMENTS_VARIANCE)
		x = dp_units_acc_clamp(measure, place) - measure->lower;
	else
		dp_aggregate_moments_unpack(place, measure->upper - measure->lower, measure->width_y, &x, &y);
	dp_aggregate_moments_add(shape, sums, x, y);
}

static DP_ALWAYS_INLINE void
dp_units_acc_add_moment_of(const DpUnitsMeasure *measure, DpMomentsShape shape, uint8_t *acc,
						   int64_t place)
{
	DpMoment	sums[DP_MOMENTS_MOST];

	dp_units_acc_load_moments(shape, acc, sums);
	if (sums[0] == UINT32_MAX)
		return;
	dp_units_acc_count_moments(measure, shape, sums, place);
	dp_units_acc_store_moments(shape, acc, sums);
}

static inline void
dp_units_acc_add_moment(const DpUnitsMeasure *measure, uint8_t *acc, int64_t place)
{
	switch (measure->shape)
	{
		case DP_MOMENTS_VARIANCE:
			dp_units_acc_add_moment_of(measure, DP_MOMENTS_VARIANCE, acc, place);
			break;
		case DP_MOMENTS_COVARIANCE:
			dp_units_acc_add_moment_of(measure, DP_MOMENTS_COVARIANCE, acc, place);
			break;
		case DP_MOMENTS_SLOPE:
			dp_units_acc_add_moment_of(measure, DP_MOMENTS_SLOPE, acc, place);
			break;
		case DP_MOMENTS_CORRELATION:
			dp_units_acc_add_moment_of(measure, DP_MOMENTS_CORRELATION, acc, place);
			break;
	}
}

/* The rows another accumulator stands for. */
static inline void
dp_units_acc_combine_moments(const DpUnitsMeasure *measure, uint8_t *acc, const uint8_t *from)
{
	DpMoment	sums[DP_MOMENTS_MOST] = {0};
	DpMoment	more[DP_MOMENTS_MOST] = {0};

	dp_units_acc_load_moments(measure->shape, acc, sums);
	dp_units_acc_load_moments(measure->shape, from, more);
	if (sums[0] + more[0] > UINT32_MAX)
		return;
	for (int i = 0; i < dp_aggregate_moments_parts(measure->shape); i++)
		sums[i] += more[i];
	dp_units_acc_store_moments(measure->shape, acc, sums);
}

/* The unit's features, limited to the rows that count. */
static inline void
dp_units_acc_finish_moments(const DpUnitsMeasure *measure, const uint8_t *acc, __int128 *totals)
{
	int64_t		width_x = measure->upper - measure->lower;
	DpMoment	sums[DP_MOMENTS_MOST] = {0};
	DpMoment	features[DP_MOMENTS_MOST] = {0};

	dp_units_acc_load_moments(measure->shape, acc, sums);
	if (sums[0] == 0)
		return;
	dp_aggregate_moments_to_features(measure->shape, width_x, measure->width_y, sums, features);
	dp_aggregate_moments_scale_down(measure->shape,
									dp_aggregate_moments_whole(measure->shape, width_x, measure->width_y),
									(uint64_t) measure->max_rows, (uint64_t) sums[0], features);
	for (int i = 0; i < dp_aggregate_moments_parts(measure->shape); i++)
		totals[i] += (__int128) features[i];
}

#endif							/* DP_UNITS_ACC_MOMENTS_H */
