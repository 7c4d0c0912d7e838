/* SPDX-License-Identifier: PostgreSQL */
/*
 * sampler.h
 *	  Exact samplers for the discrete Laplace and discrete Gaussian
 *	  distributions, in integer arithmetic only.
 *
 * Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy"
 * (2020), Algorithms 1 to 3.  No floating point, no libm: the distributions
 * are exact given uniform bits.
 *
 * Where no noise can be drawn - the CSPRNG fails, or an argument is out of
 * its range - dp_noise_failure is called (see random.h) and nothing returned.
 */
#ifndef DP_NOISE_SAMPLER_H
#define DP_NOISE_SAMPLER_H

#include <stdint.h>

typedef __int128 DpInt128;

#define DP_NOISE_MAX_SIGMA (UINT64_C(1) << 55)
#define DP_NOISE_MAX_SCALE_NUM (UINT64_C(1) << 62)
#define DP_NOISE_MAX_SCALE_DEN (UINT64_C(1) << 32)

/*
 * P[Z = z] proportional to exp(-|z| * den / num): discrete Laplace with scale
 * num/den.  1 <= num <= 2^62, 1 <= den <= 2^32; the caller guarantees it.
 */
extern DpInt128 dp_noise_discrete_laplace(uint64_t num, uint64_t den);

/*
 * P[Z = z] proportional to exp(-z^2 / (2 sigma^2)): discrete Gaussian.
 * 1 <= sigma <= 2^55; the caller guarantees it.
 */
extern DpInt128 dp_noise_discrete_gaussian(uint64_t sigma);

/*
 * P[Z = z] proportional to exp(-z * den / num), z >= 0: geometric noise, with
 * the same range of arguments.
 */
extern DpInt128 dp_noise_geometric(uint64_t num, uint64_t den);

#endif							/* DP_NOISE_SAMPLER_H */
