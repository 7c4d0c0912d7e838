/* SPDX-License-Identifier: PostgreSQL */
/*
 * randomize.h
 *	  Exact randomised response over k values.
 */
#ifndef DP_NOISE_RANDOMIZE_H
#define DP_NOISE_RANDOMIZE_H

#include <stdint.h>

/* Unit of the fractional part of epsilon. */
#define DP_NOISE_EPSILON_UNIT (UINT64_C(1) << 62)

#define DP_NOISE_MAX_CHOICES 10000

/*
 * 0, for the truth, with probability proportional to 1; each of 1 .. k - 1, for
 * the other values, with probability proportional to exp(-epsilon), epsilon =
 * whole + part / 2^62.  1 <= k <= DP_NOISE_MAX_CHOICES, part < 2^62.
 */
extern uint32_t dp_noise_randomized_response(uint32_t k, uint64_t whole, uint64_t part);

#endif							/* DP_NOISE_RANDOMIZE_H */
