/* SPDX-License-Identifier: PostgreSQL */
/*
 * accumulate.h
 *	  What is remembered of one unit's rows in one group: an accumulator per
 *	  measure, a few bytes each, packed behind each other.
 *
 * Plain C: no server header.  An accumulator of zeros is empty.  Adding rows
 * one by one, in any order, or combining the accumulators of any parts of
 * them gives the same result, and finish() makes of it what the unit contributes:
 *
 *	 rows:	number of rows, at most max_rows			 4 bytes
 *	 sum:	sum of places, clamped to lower ... upper	 8 or 12 bytes
 *	 mean:	sum of (place - lower), each row clamped, and the rows, both scaled
 *			down to max_rows rows						12 or 16 bytes
 *	 these with a ladder of clamps: as before, but that rows of a sum are clamped, not the
 *			sum; the unit adds to steps of it, see aggregate/ladder.h
 *	 cells:	number of rows, however many				 8 bytes; in records of counted rows,
 *			which are all in one cell, this behind it	 12 bytes
 *	 moments: sums of monomials; their features, limited to max_rows rows, see
 *			aggregate/moments.h							24 ... 96 bytes
 *	 values, classes: nothing
 *
 * What rows of cells weigh together, where units' rows are counted by cells, is up to
 * whoever goes through them a second time (contributions.h); which of a unit's values count,
 * too (cover.h).
 *
 * Whatever a unit's rows are, its contribution stays within these bounds.  Beyond
 * 2^31 rows of one unit in one group sums and rows saturate, and only then
 * does their order matter, to that unit's contribution alone.
 */
#ifndef DP_UNITS_ACCUMULATE_H
#define DP_UNITS_ACCUMULATE_H

#include "base/memory.h"
#include "units/measure.h"

/*
 * Moments: sums of monomials of a unit's rows in one group.
 */

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

/*
 * All measures.
 */

/* Do sums of (place - lower) fit 64 bits, for 2^32 rows? */
static inline bool
dp_units_acc_mean_is_small(const DpUnitsMeasure *measure)
{
	return measure->upper - measure->lower <= INT64_C(1) << 32;
}

/* Bytes of a measure's accumulator. */
static inline int
dp_units_acc_size(const DpUnitsMeasure *measure)
{
	switch (measure->kind)
	{
		case DP_UNITS_ROWS:
			return 4;
		case DP_UNITS_SUM:
			return measure->small ? 8 : 12;
		case DP_UNITS_MEAN:
			return dp_units_acc_mean_is_small(measure) ? 12 : 16;
		case DP_UNITS_MOMENTS:
			return dp_units_acc_moments_size(measure->shape);
		case DP_UNITS_CELLS:
			return measure->counted ? 12 : 8;
		default:
			return 0;
	}
}

/* Number of a measure's totals beside the number of units. */
static inline int
dp_units_acc_parts(const DpUnitsMeasure *measure)
{
	if (measure->kind == DP_UNITS_MOMENTS)
		return dp_aggregate_moments_parts(measure->shape);
	if (measure->kind == DP_UNITS_CLASSES)
		return measure->ladder.steps;
	if (measure->ladder.steps > 0)
		return dp_aggregate_ladder_parts(&measure->ladder);
	if (measure->kind == DP_UNITS_MEAN || measure->kind == DP_UNITS_VALUE_MEAN)
		return 2;
	return measure->kind == DP_UNITS_UNITS ? 0 : 1;
}

/*
 * A small sum: 64 bits with the sign bit flipped, so that zero is the one sum
 * that saturation leaves out.
 */
#define DP_ACC_FLIP ((uint64_t) INT64_MIN)

static inline void
dp_units_acc_add_small(uint8_t *acc, int64_t sum)
{
	uint64_t	stored = dp_units_acc_load64(acc);
	int64_t		total;

	if (stored == 0)
		total = sum;
	else if (__builtin_add_overflow((int64_t) (stored ^ DP_ACC_FLIP), sum, &total))
		total = sum < 0 ? INT64_MIN + 1 : INT64_MAX;
	dp_units_acc_store64(acc, (uint64_t) total ^ DP_ACC_FLIP);
}

/*
 * A large sum: low 64 bits, and 32 more that hold the high bits, signed, above
 * one bit that is set as soon as a row counts.
 */
#define DP_ACC_LARGE_LIMIT (((__int128) 1 << 94) - 1)

static inline __int128
dp_units_acc_large(const uint8_t *acc)
{
	int64_t		high = (int32_t) dp_units_acc_load32(acc + 8) >> 1;

	return (__int128) (((unsigned __int128) high << 64) | dp_units_acc_load64(acc));
}

static inline void
dp_units_acc_add_large(uint8_t *acc, __int128 sum)
{
	__int128	total = dp_units_acc_large(acc) + sum;

	total = total < DP_ACC_LARGE_LIMIT ? total : DP_ACC_LARGE_LIMIT;
	total = total > -DP_ACC_LARGE_LIMIT ? total : -DP_ACC_LARGE_LIMIT;
	dp_units_acc_store64(acc, (uint64_t) total);
	dp_units_acc_store32(acc + 8, (uint32_t) ((int64_t) (total >> 64) * 2) | 1);
}

/* Mean: rows, then the sum of (place - lower) in 64 or 96 bits. */
static inline unsigned __int128
dp_units_acc_mean_sum(const DpUnitsMeasure *measure, const uint8_t *acc)
{
	unsigned __int128 high = dp_units_acc_mean_is_small(measure) ? 0 : dp_units_acc_load32(acc + 12);

	return high << 64 | dp_units_acc_load64(acc + 4);
}

static inline void
dp_units_acc_add_mean(const DpUnitsMeasure *measure, uint8_t *acc, unsigned __int128 sum, uint32_t rows)
{
	uint32_t	before = dp_units_acc_load32(acc);
	unsigned __int128 total = dp_units_acc_load64(acc + 4);

	if (rows > UINT32_MAX - before)
		return;
	dp_units_acc_store32(acc, before + rows);
	if (!dp_units_acc_mean_is_small(measure))
	{
		total |= (unsigned __int128) dp_units_acc_load32(acc + 12) << 64;
		dp_units_acc_store32(acc + 12, (uint32_t) ((total + sum) >> 64));
	}
	dp_units_acc_store64(acc + 4, (uint64_t) (total + sum));
}

/* Rows of cells: if there are too many to count, they weigh nothing (contributions.h). */
static inline void
dp_units_acc_add_cells(uint8_t *acc, uint64_t rows)
{
	uint64_t	total = dp_units_acc_load64(acc) + rows;

	dp_units_acc_store64(acc, total < rows ? UINT64_MAX : total);
}

static inline void
dp_units_acc_add_rows(const DpUnitsMeasure *measure, uint8_t *acc, uint32_t rows)
{
	uint64_t	total = (uint64_t) dp_units_acc_load32(acc) + rows;

	total = total < (uint64_t) measure->max_rows ? total : (uint64_t) measure->max_rows;
	dp_units_acc_store32(acc, (uint32_t) total);
}

/* One row, at a place that is not DP_GRID_NONE. */
static inline void
dp_units_acc_add(const DpUnitsMeasure *measure, uint8_t *acc, int64_t place)
{
	acc += measure->offset;
	switch (measure->kind)
	{
		case DP_UNITS_ROWS:
			dp_units_acc_add_rows(measure, acc, 1);
			break;
		case DP_UNITS_SUM:
			if (measure->ladder.steps > 0)
				place = dp_units_acc_clamp(measure, place);
			if (measure->small)
				dp_units_acc_add_small(acc, place);
			else
				dp_units_acc_add_large(acc, place);
			break;
		case DP_UNITS_MEAN:
			dp_units_acc_add_mean(measure, acc, (uint64_t) (dp_units_acc_clamp(measure, place) - measure->lower), 1);
			break;
		case DP_UNITS_MOMENTS:
			dp_units_acc_add_moment(measure, acc, place);
			break;
		case DP_UNITS_CELLS:
			dp_units_acc_add_cells(acc, 1);
			break;
		default:
			break;
	}
}

/* The rows another accumulator of this measure stands for. */
static inline void
dp_units_acc_combine(const DpUnitsMeasure *measure, uint8_t *acc, const uint8_t *from)
{
	acc += measure->offset;
	from += measure->offset;
	switch (measure->kind)
	{
		case DP_UNITS_ROWS:
			dp_units_acc_add_rows(measure, acc, dp_units_acc_load32(from));
			break;
		case DP_UNITS_SUM:
			if (!measure->small)
			{
				if (dp_units_acc_load32(from + 8) & 1)
					dp_units_acc_add_large(acc, dp_units_acc_large(from));
			}
			else if (dp_units_acc_load64(from) != 0)
				dp_units_acc_add_small(acc, (int64_t) (dp_units_acc_load64(from) ^ DP_ACC_FLIP));
			break;
		case DP_UNITS_MEAN:
			dp_units_acc_add_mean(measure, acc, dp_units_acc_mean_sum(measure, from), dp_units_acc_load32(from));
			break;
		case DP_UNITS_MOMENTS:
			dp_units_acc_combine_moments(measure, acc, from);
			break;
		case DP_UNITS_CELLS:
			dp_units_acc_add_cells(acc, dp_units_acc_load64(from));
			break;
		default:
			break;
	}
}

/* Add the unit's contribution, of so many groups before any are left out, to the group's totals. */
static inline void
dp_units_acc_finish(const DpUnitsMeasure *measure, const uint8_t *acc, uint64_t groups, __int128 *totals)
{
	__int128	sum;
	uint64_t	rows;
	uint64_t	counted;
	uint64_t	last;

	acc += measure->offset;
	totals += measure->part;
	switch (measure->kind)
	{
		case DP_UNITS_ROWS:
			if (measure->ladder.steps > 0)
				dp_aggregate_ladder_add(&measure->ladder, dp_units_acc_load32(acc), totals);
			else
				totals[0] += dp_units_acc_load32(acc);
			break;
		case DP_UNITS_SUM:
			if (measure->small ? dp_units_acc_load64(acc) == 0 : !(dp_units_acc_load32(acc + 8) & 1))
				break;
			sum = measure->small ? (int64_t) (dp_units_acc_load64(acc) ^ DP_ACC_FLIP) : dp_units_acc_large(acc);
			if (measure->ladder.steps > 0)
			{
				dp_aggregate_ladder_add(&measure->ladder, sum, totals);
				break;
			}
			sum = sum < measure->upper ? sum : measure->upper;
			totals[0] += sum > measure->lower ? sum : measure->lower;
			break;
		case DP_UNITS_MEAN:
			rows = dp_units_acc_load32(acc);
			if (rows == 0)
				break;
			sum = (__int128) dp_units_acc_mean_sum(measure, acc);
			if (measure->ladder.steps > 0)
			{
				dp_aggregate_ladder_add_mean(&measure->ladder, (unsigned __int128) sum, rows, totals);
				break;
			}
			counted = rows < (uint64_t) measure->max_rows ? rows : (uint64_t) measure->max_rows;
			if (counted < rows)
				sum = dp_aggregate_scale_down((unsigned __int128) sum, counted, rows);
			totals[0] += sum < INT64_MAX ? sum : INT64_MAX;
			totals[1] += counted;
			break;
		case DP_UNITS_MOMENTS:
			dp_units_acc_finish_moments(measure, acc, totals);
			break;
		case DP_UNITS_CELLS:
			totals[0] += dp_units_acc_load64(acc);
			break;
		case DP_UNITS_CLASSES:
			last = (uint64_t) dp_aggregate_ladder_clamp(&measure->ladder, measure->ladder.steps - 1);
			totals[dp_aggregate_ladder_step(&measure->ladder, groups < last ? groups : last)]++;
			break;
		default:
			break;
	}
}

/*
 * Add a row that is all its unit has, at a place that is not DP_GRID_NONE; or a distinct value.  Totals
 * come to what they would be, had it been added to an empty accumulator and that
 * been finished, once dp_units_acc_finish_singles has been called for all rows.
 */
static inline void
dp_units_acc_add_single(const DpUnitsMeasure *measure, int64_t place, __int128 *totals)
{
	totals += measure->part;
	switch (measure->kind)
	{
		case DP_UNITS_ROWS:
		case DP_UNITS_CELLS:
		case DP_UNITS_VALUES:
			totals[0]++;
			break;
		case DP_UNITS_SUM:
		case DP_UNITS_VALUE_SUM:
			totals[0] += dp_units_acc_clamp(measure, place);
			break;
		case DP_UNITS_MEAN:
		case DP_UNITS_VALUE_MEAN:
			totals[0] += dp_units_acc_clamp(measure, place) - measure->lower;
			totals[1]++;
			break;
		case DP_UNITS_MOMENTS:
			dp_units_acc_count_moments(measure, measure->shape, (DpMoment *) totals, place);
			break;
		default:
			break;
	}
}

/* Features are linear in sums of monomials, which is what rows were added to. */
static inline void
dp_units_acc_finish_singles(const DpUnitsMeasure *measure, __int128 *totals)
{
	DpMoment	sums[DP_MOMENTS_MOST];

	if (measure->kind != DP_UNITS_MOMENTS)
		return;
	totals += measure->part;
	memcpy(sums, totals, dp_aggregate_moments_parts(measure->shape) * sizeof(DpMoment));
	dp_aggregate_moments_to_features(measure->shape, measure->upper - measure->lower, measure->width_y,
									 sums, (DpMoment *) totals);
}

#endif							/* DP_UNITS_ACCUMULATE_H */
