/* SPDX-License-Identifier: PostgreSQL */
/*
 * eigen.c
 *	  Eigenvalues and eigenvectors of small symmetric matrices.
 *
 * Source: Golub, Van Loan, Matrix Computations, 4th ed., 8.5: cyclic Jacobi.
 */
#include <math.h>

#include "models/eigen.h"

/* Sweeps at most; a handful is enough for any matrix, since convergence is quadratic. */
#define MOST_SWEEPS 60

/* Turn rows, or columns, p and q by an angle: element k of each is at step * k. */
static void
turn(int n, double *p, double *q, int step, double c, double s)
{
	for (int k = 0; k < n; k++)
	{
		double		x = p[k * step];
		double		y = q[k * step];

		p[k * step] = c * x - s * y;
		q[k * step] = s * x + c * y;
	}
}

/* Make element p, q vanish. */
static void
rotate(int n, double *matrix, double *vectors, int p, int q)
{
	double		off = matrix[p * n + q];
	double		theta;
	double		t;
	double		c;

	if (off == 0)
		return;
	theta = (matrix[q * n + q] - matrix[p * n + p]) / (2 * off);
	t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(1, theta));
	c = 1 / hypot(1, t);
	turn(n, &matrix[p * n], &matrix[q * n], 1, c, t * c);
	turn(n, &matrix[p], &matrix[q], n, c, t * c);
	turn(n, &vectors[p], &vectors[q], n, c, t * c);
	matrix[p * n + q] = matrix[q * n + p] = 0;
}

/* The greatest magnitude off the diagonal, and on it. */
static double
greatest(int n, const double *matrix, int diagonal)
{
	double		result = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			if ((i == j) == diagonal)
				result = fmax(result, fabs(matrix[i * n + j]));
	return result;
}

void
dp_models_eigen_symmetric(int n, double *matrix, double *vectors)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			vectors[i * n + j] = i == j;
	for (int sweep = 0; sweep < MOST_SWEEPS; sweep++)
	{
		if (greatest(n, matrix, 0) <= 1e-17 * greatest(n, matrix, 1))
			break;
		for (int p = 0; p < n; p++)
			for (int q = p + 1; q < n; q++)
				rotate(n, matrix, vectors, p, q);
	}
}

void
dp_models_eigen_compose(int n, const double *matrix, const double *vectors, double least, int inverse,
						double *result)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
		{
			double		sum = 0;

			for (int k = 0; k < n; k++)
			{
				double		value = fmax(matrix[k * n + k], least);

				sum += vectors[i * n + k] * vectors[j * n + k] * (inverse ? 1 / value : value);
			}
			result[i * n + j] = sum;
		}
}

void
dp_models_eigen_sandwich(int n, const double *left, const double *middle, double *scratch, double *result)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
		{
			double		sum = 0;

			for (int k = 0; k < n; k++)
				sum += left[i * n + k] * middle[k * n + j];
			scratch[i * n + j] = sum;
		}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
		{
			double		sum = 0;

			for (int k = 0; k < n; k++)
				sum += scratch[i * n + k] * left[j * n + k];
			result[i * n + j] = sum;
		}
}
