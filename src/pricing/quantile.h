/* SPDX-License-Identifier: PostgreSQL */
/*
 * quantile.h
 *	  dp_quantile, dp_median, dp_min and dp_max: the exponential mechanism over the
 *	  points lower, lower + step, ... upper.
 *
 * Let n be the rows of a group, by weight, and t = fraction * n the rank asked
 * for.  A point with L rows below it and C rows at or below it holds the ranks L
 * to C; its score is the distance of t from these,
 *
 *		max(0, L - t, t - C),
 *
 * which for the median is half the number of rows that have to be added or
 * removed to make it one.  A row added or removed moves each score by at most
 * max(fraction, 1 - fraction), and so a unit that weighs W by W times that.
 *
 * For the fractions 0 and 1 every point beyond all rows would score 0.  So these
 * aim `slack` rows inside, and no further than the median: t = min(slack, n / 2), or n less that,
 * where slack is constant.  A row moves each score by at most 1 then, as before.
 *
 * Without rows all points score alike.  So there is one more alternative, "none".  Its
 * score is n max(fraction, 1 - fraction), less what makes it 100 times as likely as all
 * points together where n is 0.  For the extremes it is 250,000 times as likely as
 * their square, so that at most one answer in 1,000 is beyond all rows, however few
 * these are.  A row moves it by as much as any other score, at most.  Points are drawn
 * with the same odds among each other as without it.
 *
 * A date is the number of its day, a timestamp that of its microsecond, both since 2000.
 * The infinite ones count as the bound they lie beyond.
 *
 * Everything is counted in units of 2^-(fraction_bits + weight bits) rows, in
 * integers; so is the scale.
 */
#ifndef DP_PRICING_QUANTILE_H
#define DP_PRICING_QUANTILE_H

#include "postgres.h"

#include "pricing/release.h"
#include "tree/statement.h"

/*
 * Fractions 0 and 1 aim so far inside that the points beyond all rows are drawn
 * with a probability of DP_RANK_BEYOND at most, even if rows lie at one point only.
 */
extern void dp_pricing_set_offset(DpRelease *release);

/*
 * Set how much better "none" is than any point, or place, without rows, given the noise and the
 * rank; `row` is what one row adds to its score, in grid units.
 */
extern void dp_pricing_set_none(DpRelease *release, uint64 row);

#endif							/* DP_PRICING_QUANTILE_H */
