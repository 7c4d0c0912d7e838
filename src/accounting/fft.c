/* SPDX-License-Identifier: PostgreSQL */
/*
 * fft.c
 *	  A radix-2 fast Fourier transform for convolutions whose error is known.
 *
 * Forward transforms leave their result in bit-reversed order, backward ones
 * expect it so: a convolution never has to sort.
 *
 * Error (as Higham, Accuracy and Stability of Numerical Algorithms, section 24.1).
 * Let u = 2^-53.  A stage is sqrt(2) times a unitary map.  Its butterflies make an
 * error of u in each sum, 2 sqrt(2) u in each product and u by each rounded root,
 * relative to their results; together less than 8 u relative to the stage's result
 * in the Euclidean norm.  So a transform of length n is wrong by at most
 * f = 8 u log2(n), to first order, relative in that norm.  Where Z is the
 * transform of z, |Z|_inf <= |z|_1 and |Z|_2 = sqrt(n) |z|_2.  Squaring Z carries
 * an error of 2 f |Z|_inf |Z|_2 on and adds 3 u of that, the way back adds f:
 * divided by sqrt(n), (3 f + 3 u) |z|_1 |z|_2.  The bound returned is
 * 4 f = 2^-48 log2(n), which leaves room for the terms of second order.
 * Underflow, below 2^-1000, is left out of account.
 */
#include "accounting/fft.h"
#include "accounting/rounding.h"

#define PI 3.141592653589793238462643383279502884L

/*
 * Roots for stages of 2 half points at roots[half .. 2 half - 1]:
 * exp(-pi i j / half), rounded to nearest.
 */
void
dp_accounting_fft_roots(DpFftPoint *roots, int n)
{
	int			half = n / 2;

	for (int j = 0; j < half; j++)
	{
		roots[half + j].re = (double) cosl(PI * j / half);
		roots[half + j].im = (double) -sinl(PI * j / half);
	}
	for (half /= 2; half >= 1; half /= 2)
		for (int j = 0; j < half; j++)
			roots[half + j] = roots[2 * half + 2 * j];
}

/* Natural order to bit-reversed frequencies, by decimation in frequency. */
static void
forward(DpFftPoint *z, int n, const DpFftPoint *roots)
{
	for (int half = n / 2; half >= 1; half /= 2)
		for (int start = 0; start < n; start += 2 * half)
		{
			DpFftPoint *low = z + start;
			DpFftPoint *high = low + half;

			for (int j = 0; j < half; j++)
			{
				DpFftPoint	w = roots[half + j];
				double		re = low[j].re - high[j].re;
				double		im = low[j].im - high[j].im;

				low[j].re += high[j].re;
				low[j].im += high[j].im;
				high[j].re = re * w.re - im * w.im;
				high[j].im = re * w.im + im * w.re;
			}
		}
}

/* Bit-reversed frequencies to natural order, n times the inverse. */
static void
backward(DpFftPoint *z, int n, const DpFftPoint *roots)
{
	for (int half = 1; half < n; half *= 2)
		for (int start = 0; start < n; start += 2 * half)
		{
			DpFftPoint *low = z + start;
			DpFftPoint *high = low + half;

			for (int j = 0; j < half; j++)
			{
				DpFftPoint	w = roots[half + j];
				double		re = high[j].re * w.re + high[j].im * w.im;
				double		im = high[j].im * w.re - high[j].re * w.im;

				high[j].re = low[j].re - re;
				high[j].im = low[j].im - im;
				low[j].re += re;
				low[j].im += im;
			}
		}
}

void
dp_accounting_fft_autoconvolve(DpFftPoint *z, int n, const DpFftPoint *roots)
{
	double		scale = 1.0 / n;

	forward(z, n, roots);
	for (int i = 0; i < n; i++)
	{
		DpFftPoint	f = z[i];

		z[i].re = (f.re * f.re - f.im * f.im) * scale;
		z[i].im = 2 * f.re * f.im * scale;
	}
	backward(z, n, roots);
}

double
dp_accounting_fft_error(int n)
{
	return 0x1p-48 * ilogb(n);
}
