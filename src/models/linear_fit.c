/* SPDX-License-Identifier: PostgreSQL */
/*
 * linear_fit.c
 *	  Linear regression from noisy totals; see linear_fit.h.
 */
#include <math.h>
#include <string.h>

#include "models/eigen.h"
#include "models/linear_fit.h"

/* Factors of lambda for coefficients, and for errors. */
#define SHRINKS_COEFFICIENTS 4
#define SHRINKS_ERRORS 1

/* 95 % of a normal variable lie below so many standard deviations. */
#define ONE_SIDED 1.6448536269514722

/* Matrices of the fit. */
typedef struct Work
{
	DpModelIndex index;
	int			m;				/* entries of the vector */
	int			p;				/* terms, one less */
	double		noise;
	double		rows;
	double	   *matrix;			/* m * m */
	double	   *inverse;		/* p * p, and so on */
	double	   *positive;
	double	   *eigen;
	double	   *vectors;
	double	   *inner;
	double	   *jacobian;		/* p * totals */
	double	   *theta;			/* p */
	double	   *to_columns;		/* p * p */
} Work;

size_t
dp_models_linear_fit_room(const DpModelSpec *spec)
{
	size_t		m = (size_t) dp_models_model_entries(spec);

	return (sizeof(Work) + sizeof(double) - 1) / sizeof(double) + 7 * m * m + m + m * (size_t) dp_models_model_totals(spec);
}

/* Lay the room out. */
static Work *
start(const DpModelSpec *spec, double *room)
{
	Work	   *work = (Work *) room;
	int			m = dp_models_model_entries(spec);
	double	   *next = room + (sizeof(Work) + sizeof(double) - 1) / sizeof(double);

	work->m = m;
	work->p = m - 1;
	work->matrix = next;
	work->inverse = next += m * m;
	work->positive = next += m * m;
	work->eigen = next += m * m;
	work->vectors = next += m * m;
	work->inner = next += m * m;
	work->to_columns = next += m * m;
	work->theta = next += m * m;
	work->jacobian = next + m;
	dp_models_model_index(spec, &work->index);
	return work;
}

static double
at(const Work *work, int i, int j)
{
	return work->matrix[i * work->m + j];
}

/* The least of a diagonal. */
static double
least_of(int n, const double *matrix)
{
	double		least = matrix[0];

	for (int i = 1; i < n; i++)
		least = fmin(least, matrix[i * n + i]);
	return least;
}

/* Set theta, intercept first; returns lambda. */
static double
solve(Work *work, double factor)
{
	int			d = work->p - 1;
	int			y = work->m - 1;
	double		mean_y = at(work, 0, y) / work->rows;
	double		lambda;

	for (int i = 0; i < d; i++)
		for (int j = 0; j < d; j++)
			work->eigen[i * d + j] = at(work, i + 1, j + 1) - at(work, 0, i + 1) * (at(work, 0, j + 1) / work->rows);
	dp_models_eigen_symmetric(d, work->eigen, work->vectors);
	lambda = fmax(0, factor * work->noise * sqrt(d) - least_of(d, work->eigen));
	for (int i = 0; i < d; i++)
		work->eigen[i * d + i] += lambda;
	dp_models_eigen_compose(d, work->eigen, work->vectors, work->noise, 1, work->inner);
	work->theta[0] = mean_y;
	for (int i = 0; i < d; i++)
	{
		double		sum = 0;

		for (int j = 0; j < d; j++)
			sum += work->inner[i * d + j] * (at(work, j + 1, y) - at(work, 0, j + 1) * mean_y);
		work->theta[i + 1] = sum;
		work->theta[0] -= at(work, 0, i + 1) / work->rows * sum;
	}
	return lambda;
}

/* theta times a vector: y less what is predicted. */
static double
residual_factor(const Work *work, int i)
{
	return i == work->m - 1 ? 1 : -work->theta[i];
}

/* How the residual of the normal equations depends on the totals: row k of the Jacobian is that of term k. */
static void
set_jacobian(Work *work)
{
	int			totals = work->index.totals;

	memset(work->jacobian, 0, sizeof(double) * (size_t) work->p * (size_t) totals);
	for (int k = 0; k < work->p; k++)
		for (int j = 0; j < work->m; j++)
		{
			int			number[2];
			double		factor[2];
			int			count = dp_models_model_made_of(&work->index, k, j, number, factor);

			for (int e = 0; e < count; e++)
				work->jacobian[k * totals + number[e]] += factor[e] * residual_factor(work, j);
		}
}

/* The variance of residuals, as it comes, and the deviation of its noise. */
static void
measure_residuals(const Work *work, double *variance, double *deviation)
{
	double		coefficient[DP_MODEL_MOST_TOTALS] = {0};
	double		squares = 0;
	double		sum = 0;

	for (int i = 0; i < work->m; i++)
		for (int j = 0; j < work->m; j++)
		{
			double		product = residual_factor(work, i) * residual_factor(work, j);
			int			number[2];
			double		factor[2];
			int			count = dp_models_model_made_of(&work->index, i, j, number, factor);

			sum += product * at(work, i, j);
			for (int e = 0; e < count; e++)
				coefficient[number[e]] += factor[e] * product;
		}
	for (int e = 0; e < work->index.totals; e++)
		squares += coefficient[e] * coefficient[e];
	*variance = sum / work->rows;
	*deviation = work->noise * sqrt(squares) / work->rows;
}

/* Set `inverse` to that of X'X + lambda, and `positive` to X'X without negative eigenvalues. */
static void
invert(Work *work, double lambda)
{
	int			p = work->p;

	for (int shifted = 0; shifted < 2; shifted++)
	{
		for (int i = 0; i < p; i++)
			for (int j = 0; j < p; j++)
				work->eigen[i * p + j] = at(work, i, j) + (shifted && i == j && i > 0 ? lambda : 0);
		dp_models_eigen_symmetric(p, work->eigen, work->vectors);
		if (shifted)
			dp_models_eigen_compose(p, work->eigen, work->vectors, work->noise, 1, work->inverse);
		else
			dp_models_eigen_compose(p, work->eigen, work->vectors, 0, 0, work->positive);
	}
}

/* The covariance of the coefficients, in coordinates, where residuals have this variance. */
static void
set_covariance(Work *work, double lambda, double variance, double *covariance)
{
	int			p = work->p;
	int			totals = work->index.totals;

	invert(work, lambda);
	set_jacobian(work);
	for (int i = 0; i < p; i++)
		for (int j = 0; j <= i; j++)
		{
			const double *x = &work->jacobian[i * totals];
			const double *y = &work->jacobian[j * totals];
			double		sum = 0;

			for (int e = 0; e < totals; e++)
				sum += x[e] * y[e];
			work->inner[i * p + j] = work->inner[j * p + i] =
				variance * work->positive[i * p + j] + work->noise * work->noise * sum;
		}
	dp_models_eigen_sandwich(p, work->inverse, work->inner, work->eigen, covariance);
}

void
dp_models_linear_to_columns(int terms, const DpLinearScale *scale, double half, double *matrix)
{
	memset(matrix, 0, sizeof(double) * (size_t) terms * (size_t) terms);
	matrix[0] = half;
	for (int i = 1; i < terms; i++)
	{
		matrix[i * terms + i] = half / scale[i - 1].half;
		matrix[i] = -half * (scale[i - 1].middle / scale[i - 1].half);
	}
}

/* The coefficients in the columns' units. */
static void
read_theta(const Work *work, const DpLinearScale *scale, double *coef)
{
	int			p = work->p;

	for (int i = 0; i < p; i++)
	{
		double		sum = i == 0 ? scale[p - 1].middle : 0;

		for (int j = 0; j < p; j++)
			sum += work->to_columns[i * p + j] * work->theta[j];
		coef[i] = isfinite(sum) ? sum : 0;
	}
}

/* Errors, in the columns' units; infinite where they are beyond all numbers. */
static void
read_errors(Work *work, DpLinearFit *fit)
{
	int			p = work->p;

	memcpy(work->positive, fit->covariance, sizeof(double) * (size_t) p * (size_t) p);
	dp_models_eigen_sandwich(p, work->to_columns, work->positive, work->eigen, fit->covariance);
	for (int i = 0; i < p; i++)
		for (int j = 0; j < p; j++)
		{
			double	   *value = &fit->covariance[i * p + j];

			if (isnan(*value))
				*value = i == j ? INFINITY : 0;
			if (i == j)
				fit->std_err[i] = sqrt(fmax(*value, 0));
		}
}

/* Answer without rows: the middle of the predicted column. */
static void
fit_nothing(const DpLinearScale *scale, DpLinearFit *fit)
{
	fit->shrunk = true;
	fit->coef[0] = fit->centre[0] = scale[fit->terms - 1].middle;
	for (int i = 0; i < fit->terms; i++)
	{
		fit->std_err[i] = INFINITY;
		fit->covariance[i * fit->terms + i] = INFINITY;
	}
	fit->sigma_upper = INFINITY;
}

void
dp_models_linear_fit(const DpModelSpec *spec, const double *total, double noise,
					 const DpLinearScale *scale, double *room, DpLinearFit *fit)
{
	Work	   *work = start(spec, room);
	double		half = scale[work->p - 1].half;
	double		variance;
	double		deviation;
	double		lambda;

	memset(fit, 0, sizeof(*fit));
	fit->terms = work->p;
	work->noise = noise;
	work->rows = total[0];
	if (!(work->rows > 1))
	{
		fit_nothing(scale, fit);
		return;
	}
	dp_models_model_matrix(&work->index, total, work->matrix);
	dp_models_linear_to_columns(work->p, scale, half, work->to_columns);
	fit->shrunk = solve(work, SHRINKS_COEFFICIENTS) > 0;
	read_theta(work, scale, fit->coef);
	lambda = solve(work, SHRINKS_ERRORS);
	read_theta(work, scale, fit->centre);
	measure_residuals(work, &variance, &deviation);
	set_covariance(work, lambda, fmax(variance, 0) + deviation, fit->covariance);
	read_errors(work, fit);
	fit->sigma = half * sqrt(fmax(variance, 0));
	fit->sigma_lower = half * sqrt(fmax(variance - ONE_SIDED * deviation, 0));
	fit->sigma_upper = half * sqrt(fmax(variance, 0) + fmax(ONE_SIDED * deviation, 0));
}
