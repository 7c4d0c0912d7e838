/* SPDX-License-Identifier: PostgreSQL */
/*
 * eigen.h
 *	  Eigenvalues and eigenvectors of small symmetric matrices.
 *
 * Plain C: no server header.
 */
#ifndef DP_MODELS_EIGEN_H
#define DP_MODELS_EIGEN_H

/*
 * By Jacobi's rotations: matrix, n squared and symmetric, becomes diagonal, its eigenvalues
 * on the diagonal; column k of vectors, n squared, is the eigenvector of the k-th.  For
 * finite matrices; good to about n times the rounding of the largest eigenvalue.
 */
extern void dp_models_eigen_symmetric(int n, double *matrix, double *vectors);

/*
 * result = V f(eigenvalues) V', where eigenvalues is the diagonal of `matrix` and f(x) is `inverse` ?
 * 1 / max(x, least) : max(x, least).
 */
extern void dp_models_eigen_compose(int n, const double *matrix, const double *vectors, double least, int inverse,
									double *result);

/* result = left * middle * left', all n squared, and so is `scratch`. */
extern void dp_models_eigen_sandwich(int n, const double *left, const double *middle, double *scratch, double *result);

#endif							/* DP_MODELS_EIGEN_H */
