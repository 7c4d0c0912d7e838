/* SPDX-License-Identifier: PostgreSQL */
/*
 * quantile_levels.h
 *	  Several quantiles of one column, drawn one inside the other.
 *
 * The middle one is drawn first, of all rows; then one below it and one above it, each of the rows
 * on its side; and so on (Kaplan, Schnapp, Stemmer, "Differentially Private Approximate Quantiles",
 * 2022).  Quantiles of one level are drawn of disjoint shares of what a unit weighs, so the level
 * costs what one of them costs: doc/accounting.md.
 *
 * The first may also be "none" (quantile.h), and then all are.
 *
 * So that a point which many rows share can be split too, it is divided into 2^bits places with
 * an equal share of each row's weight, and a place is what is drawn.
 */
#ifndef DP_PRICING_QUANTILE_LEVELS_H
#define DP_PRICING_QUANTILE_LEVELS_H

#include "postgres.h"

#include "from/contribution.h"
#include "pricing/release.h"

/*
 * Have quantiles among the block's releases, of these measures, share levels where that is cheaper for
 * what they err: three or more of different fractions, of the same values, bounds, step and epsilon.
 */
extern void dp_pricing_share_levels(DpBlock *block, const List *measures, const DpContribution *contribution);

#endif							/* DP_PRICING_QUANTILE_LEVELS_H */
