/* SPDX-License-Identifier: PostgreSQL */
/*
 * fft.h
 *	  A fast Fourier transform for convolutions whose error is known; for this
 *	  room only.
 *
 * Plain C: no server header.  Lengths n are powers of two, 2 .. 2^30.
 */
#ifndef DP_ACCOUNTING_FFT_H
#define DP_ACCOUNTING_FFT_H

typedef struct DpFftPoint
{
	double		re;
	double		im;
} DpFftPoint;

/*
 * Fill in the n roots of unity that transforms of length n and of every
 * shorter length need.
 */
extern void dp_accounting_fft_roots(DpFftPoint *roots, int n);

/* z = the cyclic convolution of z, n points, with itself. */
extern void dp_accounting_fft_autoconvolve(DpFftPoint *z, int n, const DpFftPoint *roots);

/*
 * A bound e(n) for its error: the result differs from the true convolution, in
 * the Euclidean norm, by at most e(n) |z|_1 |z|_2.
 */
extern double dp_accounting_fft_error(int n);

#endif							/* DP_ACCOUNTING_FFT_H */
