/* SPDX-License-Identifier: PostgreSQL */
/*
 * moments.h
 *	  Moments of a value, or of two, as totals of which a row moves all by the
 *	  same amount together.
 *
 * Plain C: no server header.  A row has a place u in 0 ...  W on the grid of its
 * bounds.  The Bernstein polynomials of degree 2, (W - u)^2, 2 u (W - u) and u^2, are
 * integers, never negative, and add up to W^2 whatever u is.  Those of degree 1, W - u
 * and u, add up to W, and the products of those of two values to the product of these
 * sums.  So a row is spread over a few "features", which take a constant K from it in
 * all: a unit of c rows moves the features' totals by c K in L1, and by no more than
 * that in L2.  One charge covers them all, whatever their number, and every polynomial
 * of these degrees is a combination of them: the number of rows, sums, sums of squares
 * and of products.
 *
 * While rows are added up, sums of monomials u^a p^b are kept, which are cheaper;
 * the features follow from them exactly.
 */
#ifndef DP_AGGREGATE_MOMENTS_H
#define DP_AGGREGATE_MOMENTS_H

#include "aggregate/grid.h"

typedef enum DpMomentsShape
{
	DP_MOMENTS_VARIANCE,		/* of x: degree 2 */
	DP_MOMENTS_COVARIANCE,		/* of x and y: degrees 1 and 1 */
	DP_MOMENTS_SLOPE,			/* 2 and 1 */
	DP_MOMENTS_CORRELATION		/* 2 and 2 */
} DpMomentsShape;

#define DP_MOMENTS_SHAPES 4
#define DP_MOMENTS_MOST 9

/* Rows of which all totals fit, see dp_aggregate_moments_bits. */
#define DP_MOMENTS_MOST_ROWS (UINT64_C(1) << 49)

/*
 * Two places as one number, which is how rows of pairs travel: x above y, each
 * at most 2^29.
 */
#define DP_MOMENTS_PAIR_BITS 30

/*
 * Bounds of one aggregate, a bytea constant in plans: what is below is checked
 * by dp_aggregate_moments_spec_is_sane.
 */
typedef struct DpMomentsSpec
{
	int32_t		vl_len_;		/* varlena header */
	int32_t		shape;			/* DpMomentsShape */
	int32_t		grid_x;
	int32_t		grid_y;			/* of a variance: 0 */
	int64_t		lower_x;		/* in grid units */
	int64_t		upper_x;
	int64_t		lower_y;
	int64_t		upper_y;
	int64_t		max_rows;		/* most rows of a unit that count in a group */
} DpMomentsSpec;

/* Aligned as memory of the server is. */
typedef unsigned __int128 DpMoment __attribute__((aligned(8)));

static inline int
dp_aggregate_moments_degree_x(DpMomentsShape shape)
{
	return shape == DP_MOMENTS_COVARIANCE ? 1 : 2;
}

static inline int
dp_aggregate_moments_degree_y(DpMomentsShape shape)
{
	return shape == DP_MOMENTS_VARIANCE ? 0 : shape == DP_MOMENTS_CORRELATION ? 2 : 1;
}

/* Number of features, and of monomials. */
static inline int
dp_aggregate_moments_parts(DpMomentsShape shape)
{
	return (dp_aggregate_moments_degree_x(shape) + 1) * (dp_aggregate_moments_degree_y(shape) + 1);
}

/*
 * Widths are at most 2^bits: then K is at most 2^76, totals of 2^49 rows are
 * below 2^126, and those of 2^32 rows of one unit, times 2^19, too.
 */
static inline int
dp_aggregate_moments_bits(DpMomentsShape shape)
{
	switch (dp_aggregate_moments_degree_x(shape) + dp_aggregate_moments_degree_y(shape))
	{
		case 2:
			return 29;
		case 3:
			return 25;
		default:
			return 19;
	}
}

/* The degree of a monomial by its number, see dp_aggregate_moments_add. */
static inline int
dp_aggregate_moments_degree(DpMomentsShape shape, int monomial)
{
	int			y = dp_aggregate_moments_degree_y(shape) + 1;

	return monomial / y + monomial % y;
}

/* value^degree */
static inline DpMoment
dp_aggregate_moments_power(int64_t value, int degree)
{
	DpMoment	result = 1;

	while (degree-- > 0)
		result *= (DpMoment) value;
	return result;
}

/* K: what a row adds to all features together. */
static inline DpMoment
dp_aggregate_moments_whole(DpMomentsShape shape, int64_t width_x, int64_t width_y)
{
	return dp_aggregate_moments_power(width_x, dp_aggregate_moments_degree_x(shape)) *
		dp_aggregate_moments_power(width_y, dp_aggregate_moments_degree_y(shape));
}

/* Is this a grid of finite bounds? */
static inline int
dp_aggregate_moments_grid_is_sane(int grid)
{
	return grid >= DP_GRID_MIN && grid <= DP_GRID_MAX;
}

/* Is this what all arithmetic here relies on? */
static inline int
dp_aggregate_moments_spec_is_sane(const DpMomentsSpec *spec)
{
	const int64_t limit = INT64_C(1) << 62;
	int64_t		most;

	if (spec->shape < 0 || spec->shape >= DP_MOMENTS_SHAPES || spec->max_rows < 1 ||
		!dp_aggregate_moments_grid_is_sane(spec->grid_x) || !dp_aggregate_moments_grid_is_sane(spec->grid_y))
		return 0;
	most = INT64_C(1) << dp_aggregate_moments_bits((DpMomentsShape) spec->shape);
	return spec->lower_x >= -limit && spec->upper_x <= limit && spec->lower_x <= spec->upper_x &&
		spec->lower_y >= -limit && spec->upper_y <= limit && spec->lower_y <= spec->upper_y &&
		spec->upper_x - spec->lower_x <= most && spec->upper_y - spec->lower_y <= most;
}

/* Two places, each from its lower bound up, as one number. */
static inline int64_t
dp_aggregate_moments_pack(int64_t x, int64_t y)
{
	return (x << DP_MOMENTS_PAIR_BITS) | y;
}

/* And back, clamped. */
static inline void
dp_aggregate_moments_unpack(int64_t pair, int64_t width_x, int64_t width_y, int64_t *x, int64_t *y)
{
	const int64_t mask = (INT64_C(1) << DP_MOMENTS_PAIR_BITS) - 1;

	*x = (pair >> DP_MOMENTS_PAIR_BITS) & mask;
	*x = *x < width_x ? *x : width_x;
	*y = pair & mask;
	*y = *y < width_y ? *y : width_y;
}

/* A place within bounds, from the lower one up. */
static inline int64_t
dp_aggregate_moments_from_lower(int64_t place, int64_t lower, int64_t upper)
{
	place = place < upper ? place : upper;
	place = place > lower ? place : lower;
	return place - lower;
}

/* Places on the grids of both values, within their bounds, as one number. */
static inline int64_t
dp_aggregate_moments_pair(const DpMomentsSpec *spec, int64_t place_x, int64_t place_y)
{
	return dp_aggregate_moments_pack(dp_aggregate_moments_from_lower(place_x, spec->lower_x, spec->upper_x),
									 dp_aggregate_moments_from_lower(place_y, spec->lower_y, spec->upper_y));
}

/*
 * Add a row to the sums of monomials: that of x^a y^b is number a * (degree of y
 * + 1) + b, the number of rows first.
 */
static inline void
dp_aggregate_moments_add(DpMomentsShape shape, DpMoment *sums, int64_t place_x, int64_t place_y)
{
	/* Unsigned: then products of 128 bits are single multiplications. */
	uint64_t	x = (uint64_t) place_x;
	uint64_t	y = (uint64_t) place_y;
	uint64_t	xx = x * x;
	uint64_t	xy = x * y;

	sums[0]++;
	switch (shape)
	{
		case DP_MOMENTS_VARIANCE:
			sums[1] += x;
			sums[2] += xx;
			break;
		case DP_MOMENTS_COVARIANCE:
			sums[1] += y;
			sums[2] += x;
			sums[3] += xy;
			break;
		case DP_MOMENTS_SLOPE:
			sums[1] += y;
			sums[2] += x;
			sums[3] += xy;
			sums[4] += xx;
			sums[5] += (DpMoment) xx * y;
			break;
		case DP_MOMENTS_CORRELATION:	/* below 2^57, but for the last */
			sums[1] += y;
			sums[2] += y * y;
			sums[3] += x;
			sums[4] += xy;
			sums[5] += xy * y;
			sums[6] += xx;
			sums[7] += xx * y;
			sums[8] += (DpMoment) xy * xy;
			break;
	}
}

/*
 * May rows of these bounds have such sums?  Their number fits 64 bits, by which a
 * unit's features are divided, and no monomial's sum is more than theirs at the upper
 * bounds.
 */
static inline int
dp_aggregate_moments_sums_are_sane(const DpMomentsSpec *spec, const DpMoment *sums)
{
	int			y = dp_aggregate_moments_degree_y((DpMomentsShape) spec->shape) + 1;
	int64_t		width_x = spec->upper_x - spec->lower_x;
	int64_t		width_y = spec->upper_y - spec->lower_y;

	if (sums[0] > DP_MOMENTS_MOST_ROWS)
		return 0;
	for (int i = 1; i < dp_aggregate_moments_parts((DpMomentsShape) spec->shape); i++)
		if (sums[i] > sums[0] * dp_aggregate_moments_power(width_x, i / y) * dp_aggregate_moments_power(width_y, i % y))
			return 0;
	return 1;
}

/*
 * Coefficient of the monomial of this power in a Bernstein polynomial; modulo
 * 2^128, in which the sums below come out right.
 */
static inline DpMoment
dp_aggregate_moments_coefficient(int degree, int index, int power, int64_t width)
{
	const DpMoment w = (DpMoment) width;

	if (power < index || degree == 0)
		return power == 0 && index == 0;
	if (degree == 1)
		return index == 1 ? 1 : power == 0 ? w : -(DpMoment) 1;
	if (index == 2)
		return 1;
	if (index == 1)
		return power == 1 ? 2 * w : -(DpMoment) 2;
	return power == 0 ? w * w : power == 1 ? -(2 * w) : 1;
}

/* The features' totals from the monomials': none is negative, all add up to rows * K. */
static inline void
dp_aggregate_moments_to_features(DpMomentsShape shape, int64_t width_x, int64_t width_y,
								 const DpMoment *sums, DpMoment *features)
{
	int			dx = dp_aggregate_moments_degree_x(shape);
	int			dy = dp_aggregate_moments_degree_y(shape);

	for (int i = 0; i <= dx; i++)
	{
		for (int j = 0; j <= dy; j++)
		{
			DpMoment	total = 0;

			for (int a = i; a <= dx; a++)
				for (int b = j; b <= dy; b++)
					total += dp_aggregate_moments_coefficient(dx, i, a, width_x) *
						dp_aggregate_moments_coefficient(dy, j, b, width_y) * sums[a * (dy + 1) + b];
			features[i * (dy + 1) + j] = total;
		}
	}
}

/*
 * A unit's features scaled down from `rows` rows to the `counted` of them that
 * count: none is negative, all add up to counted * K exactly.
 */
static inline void
dp_aggregate_moments_scale_down(DpMomentsShape shape, DpMoment whole, uint64_t counted, uint64_t rows,
								DpMoment *features)
{
	DpMoment	rest = whole * counted;

	if (counted >= rows)
		return;
	for (int i = 1; i < dp_aggregate_moments_parts(shape); i++)
	{
		features[i] = features[i] / rows * counted + features[i] % rows * counted / rows;
		rest -= features[i];
	}
	features[0] = rest;
}

#endif							/* DP_AGGREGATE_MOMENTS_H */
