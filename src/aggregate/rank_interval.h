/* SPDX-License-Identifier: PostgreSQL */
/*
 * rank_interval.h
 *	  Intervals of values for quantiles, from other quantiles of the same rows.
 *
 * Plain C: no server header.  Post-processing: what was released, and the public parameters
 * of how it was drawn, are all that is looked at.
 *
 * Let n be the rows, by weight, and t the rank that is asked for.  A quantile drawn at the rank s
 * holds ranks within h of s, but for a probability of points exp(-h / scale).  If s + h < t, fewer
 * rows than t lie below it, so it is no greater than any point that holds t; likewise on the other
 * side.  How far s and t are apart is known where n is known from below.
 */
#ifndef DP_AGGREGATE_RANK_INTERVAL_H
#define DP_AGGREGATE_RANK_INTERVAL_H

#include <stdbool.h>

/* How often the least or greatest value is said to be beyond all rows, at most, however few these are. */
#define DP_RANK_BEYOND 0.001

/* A quantile that was drawn, as doc/accounting.md has it. */
typedef struct DpRank
{
	double		fraction;		/* 0 ... 1; of these two it aims inside, by */
	double		slack;			/* so many rows, but no further than the median */
	double		scale;			/* rows by which the odds of a point fall by e */
	double		points;			/* it was drawn from */
	double		drift;			/* of all rows, what it may be off by besides, for certain */
} DpRank;

/* Are these parameters of a quantile? */
extern bool dp_aggregate_rank_is_sane(const DpRank *rank);

/*
 * Bounds for the answer numbered `asked`, without noise: each wrong with probability
 * `miss` at most, if there are `rows` rows at least; `lower` and `upper`, which are
 * certain, where no other answer tells.  They hold the answer itself too, which is not
 * `absent`.  Among answers that tell, the one whose rank is closest is taken, whatever
 * its value.
 */
extern void dp_aggregate_rank_interval(const DpRank *rank, const double *answer, const bool *absent, int count,
									   int asked, double rows, double miss, double lower, double upper,
									   double *low, double *high);

#endif							/* DP_AGGREGATE_RANK_INTERVAL_H */
