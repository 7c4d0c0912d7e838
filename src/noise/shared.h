/* SPDX-License-Identifier: PostgreSQL */
/*
 * shared.h
 *	  Putting together what a total has of noise for itself and what it shares with others.
 *
 * Integers alone.  See accounting/shared_noise.h.
 */
#ifndef DP_NOISE_SHARED_H
#define DP_NOISE_SHARED_H

#include "noise/sampler.h"

/*
 * (own + multiple * shared / 2^bits) / 2^own_bits, both quotients rounded to the nearest, halves up; bits and own_bits are from 1
 * to 62, and the product is below 2^126.  For whole numbers x and n it commutes with adding 2^own_bits x - multiple n to `own`
 * and 2^bits n to `shared`: the result is x more.
 */
extern DpInt128 dp_noise_beside_shared(DpInt128 own, DpInt128 shared, DpInt128 multiple, int bits, int own_bits);

#endif							/* DP_NOISE_SHARED_H */
