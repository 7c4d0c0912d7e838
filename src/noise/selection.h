/* SPDX-License-Identifier: PostgreSQL */
/*
 * selection.h
 *	  Selection among integer scores: permute and flip, Gumbel noise, above threshold.
 *
 * Plain C: no server header.  Exact, in integer arithmetic only.  Scores are
 * counts, which one privacy unit moves in one direction, each by at most some
 * D; a scale is a fraction num/den of the ranges in sampler.h.  Which candidates are looked at
 * does not depend on scores, but how long a coin takes does.
 */
#ifndef DP_NOISE_SELECTION_H
#define DP_NOISE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "noise/sampler.h"

/*
 * One of n >= 1 candidates by permute and flip (McKenna, Sheldon 2020): among
 * those whose coin, heads with probability exp((score - greatest score) * den /
 * num), came up heads, any one alike.  `taken` marks those that are out, at
 * least one is not.  D * den / num is the pure loss.  Throws a coin for every
 * candidate that is not out.
 */
extern size_t dp_noise_permute_and_flip(const int64_t *score, const bool *taken, size_t n,
										uint64_t num, uint64_t den);

/*
 * One of n >= 1 candidates, with a probability proportional to exp(score * 2^shift * den /
 * num), 0 <= shift <= 31: the greatest of all scores with Gumbel noise of scale num / (den
 * 2^shift), which is the exponential mechanism (choice.h).  Drawn again without those drawn
 * before, it gives the order of the scores with that noise.  `taken` as above; D * 2^shift *
 * den / num is the bounded range.
 */
extern size_t dp_noise_gumbel_greatest(const int64_t *score, const bool *taken, size_t n,
									   int shift, uint64_t num, uint64_t den);

/*
 * One of n >= 1 candidates, with a probability proportional to exp(-loss * 2^shift * den / num), losses
 * below 2^94, 0 <= shift <= 1: the exponential mechanism.  If a unit moves all losses one way, each by at most
 * D, then D * 2^shift * den / num is the bounded range.
 */
extern size_t dp_noise_least(const unsigned __int128 *loss, size_t n, int shift, uint64_t num, uint64_t den);

/*
 * The first of n counts that, with geometric noise, reaches the threshold, which
 * has geometric noise of its own; n if none does.  2 * D * den / num is the pure
 * loss.  Draws noise for every count, wherever the first is.
 */
extern size_t dp_noise_first_above(const int64_t *count, size_t n, int64_t threshold,
								   uint64_t num, uint64_t den);

#endif							/* DP_NOISE_SELECTION_H */
