/* SPDX-License-Identifier: PostgreSQL */
/*
 * classifier.c
 *	  Classifiers from noisy totals; see classifier.h.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "models/classifier.h"
#include "models/eigen.h"

static double
limited(double value)
{
	return isnan(value) ? 0 : fmax(-DBL_MAX, fmin(DBL_MAX, value));
}

double
dp_models_predict_value(int terms, const double *coef, const double *x)
{
	double		sum = 0;

	for (int i = 0; i < terms; i++)
		sum = limited(sum + limited(coef[i] * x[i]));
	return sum;
}

double
dp_models_predict_probability(int terms, const double *coef, const double *x)
{
	return 1 / (1 + exp(-dp_models_predict_value(terms, coef, x)));
}

double
dp_models_predict_deviation(int terms, const double *covariance, double sigma, const double *x)
{
	double		sum = 0;

	for (int i = 0; i < terms; i++)
		for (int j = 0; j < terms; j++)
			if (x[i] != 0 && x[j] != 0)
				sum += x[i] * covariance[i * terms + j] * x[j];
	if (isnan(sum))
		return INFINITY;
	return hypot(sqrt(fmax(sum, 0)), sigma);
}

#define SHRINKS 4				/* factor of lambda */
#define FEWEST_ROWS 10			/* that are reckoned with */
#define LEAST_VARIANCE 0.1		/* of residuals, of that of y */
#define LEAST_DISTANCE 0x1p-20	/* of the mean of y from -1 and 1 */
#define LEAST_CURVATURE 0.05

size_t
dp_models_classifier_room(const DpModelSpec *spec)
{
	size_t		m = (size_t) dp_models_model_entries(spec);

	return 5 * m * m;
}

/* Lay the room out. */
static void
lay_out(DpClassifier *classifier, int terms, double *room)
{
	memset(classifier, 0, sizeof(*classifier));
	classifier->terms = terms;
	classifier->centred = room;
	classifier->inverse = room + terms * terms;
	classifier->scratch = room + 2 * terms * terms;
	classifier->mean[0] = 1;
}

static double
product(int n, const double *x, const double *y)
{
	double		sum = 0;

	for (int i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* result = matrix x, both without the intercept; the matrix is coordinates squared. */
static void
apply(const DpClassifier *classifier, const double *matrix, const double *x, double *result)
{
	int			d = classifier->terms - 1;

	for (int i = 0; i < d; i++)
		result[i] = product(d, &matrix[i * d], x);
}

/* Set C + lambda and its inverse; `raw` is C, which the eigenvalues take the place of. */
static void
set_matrices(DpClassifier *classifier, double noise, double *raw, double *vectors)
{
	int			d = classifier->terms - 1;
	double		least = INFINITY;
	double		lambda;

	dp_models_eigen_symmetric(d, raw, vectors);
	for (int i = 0; i < d; i++)
		least = fmin(least, raw[i * d + i]);
	lambda = fmax(0, SHRINKS * noise * sqrt(d) - least);
	for (int i = 0; i < d; i++)
		raw[i * d + i] += lambda;
	dp_models_eigen_compose(d, raw, vectors, noise, 0, classifier->centred);
	dp_models_eigen_compose(d, raw, vectors, noise, 1, classifier->inverse);
}

/* Bring weights within their bounds, to multiples of 2^-20. */
static void
settle_weights(DpClassifier *classifier)
{
	double		most = 0;

	for (int i = 0; i < classifier->terms; i++)
		most = isfinite(classifier->weight[i]) ? fmax(most, fabs(classifier->weight[i])) : INFINITY;
	for (int i = 0; i < classifier->terms; i++)
	{
		double	   *weight = &classifier->weight[i];

		if (isinf(most))
			*weight = 0;
		else if (most > DP_PASS_MOST_WEIGHT)
			*weight *= DP_PASS_MOST_WEIGHT / most;
		*weight = ldexp(rint(ldexp(*weight, DP_PASS_WEIGHT_BITS)), -DP_PASS_WEIGHT_BITS);
	}
}

/*
 * From the regression of y to a logistic one: slopes as of two normal groups of the same covariance, and the
 * intercept with which the mean is that of y, the scores being about normal with variance `spread`.
 */
static void
make_logistic(DpClassifier *classifier, double mean_y, double explained, const double *raw)
{
	int			d = classifier->terms - 1;
	double	   *slope = &classifier->weight[1];
	double		variance = classifier->rows * (1 - mean_y * mean_y);
	double		rss = fmax(variance - explained, LEAST_VARIANCE * variance);
	double		share = (1 + mean_y) / 2;
	double		image[DP_PASS_MOST_TERMS];
	double		spread;

	for (int i = 0; i < d; i++)
		slope[i] *= 2 * classifier->rows / rss;
	apply(classifier, raw, slope, image);
	spread = fmax(0, product(d, slope, image) / classifier->rows);
	classifier->weight[0] = log(share / (1 - share)) * sqrt(1 + M_PI * spread / 8) -
		product(d, &classifier->mean[1], slope);
}

/* The weights that the matrix of all sums of products starts from. */
static void
start_weights(DpClassifier *classifier, const double *matrix, double noise)
{
	int			m = classifier->terms + 1;
	int			d = classifier->terms - 1;
	double	   *raw = classifier->scratch;
	double	   *eigen = raw + d * d;
	double		margin = fmax(2 / classifier->rows, LEAST_DISTANCE);
	double		mean_y = fmax(-1 + margin, fmin(1 - margin, matrix[m - 1] / classifier->rows));
	double		h[DP_PASS_MOST_TERMS] = {0};

	for (int i = 0; i < d; i++)
		classifier->mean[i + 1] = matrix[i + 1] / classifier->rows;
	for (int i = 0; i < d; i++)
	{
		for (int j = 0; j < d; j++)
			raw[i * d + j] = eigen[i * d + j] =
				matrix[(i + 1) * m + j + 1] - matrix[i + 1] * classifier->mean[j + 1];
		h[i] = matrix[(i + 1) * m + m - 1] - matrix[i + 1] * mean_y;
	}
	set_matrices(classifier, noise, eigen, eigen + d * d);
	apply(classifier, classifier->inverse, h, &classifier->weight[1]);
	if (classifier->loss == DP_PASS_LOGISTIC)
		make_logistic(classifier, mean_y, product(d, h, &classifier->weight[1]), raw);
	else
		classifier->weight[0] = mean_y - product(d, &classifier->mean[1], &classifier->weight[1]);
}

void
dp_models_classifier_start(DpClassifier *classifier, const DpModelSpec *spec, DpPassLoss loss,
						   const double *total, double noise, double *room)
{
	double		matrix[DP_MODEL_MOST_ENTRIES * DP_MODEL_MOST_ENTRIES];
	DpModelIndex index;

	lay_out(classifier, dp_models_model_coordinates(spec) + 1, room);
	classifier->loss = loss;
	classifier->empty = !(total[0] > 1);
	if (classifier->empty)
		return;
	classifier->rows = fmax(total[0], FEWEST_ROWS);
	dp_models_model_index(spec, &index);
	dp_models_model_matrix(&index, total, matrix);
	start_weights(classifier, matrix, noise);
	settle_weights(classifier);
}

void
dp_models_classifier_weights(const DpClassifier *classifier, int32_t *weight)
{
	for (int i = 0; i < classifier->terms; i++)
		weight[i] = (int32_t) ldexp(classifier->weight[i], DP_PASS_WEIGHT_BITS);
}

/* step = (X'X)^-1 g, X'X being that of C + lambda. */
static void
solve(const DpClassifier *classifier, const double *g, double *step)
{
	int			d = classifier->terms - 1;
	double		centred[DP_PASS_MOST_TERMS] = {0};

	for (int i = 0; i < d; i++)
		centred[i] = g[i + 1] - classifier->mean[i + 1] * g[0];
	apply(classifier, classifier->inverse, centred, &step[1]);
	step[0] = g[0] / classifier->rows - product(d, &classifier->mean[1], &step[1]);
}

void
dp_models_classifier_update(DpClassifier *classifier, const double *total)
{
	bool		logistic = classifier->loss == DP_PASS_LOGISTIC;
	double		step[DP_PASS_MOST_TERMS];
	double		mean;

	classifier->passes++;
	if (classifier->empty)
		return;
	mean = total[classifier->terms] / classifier->rows * (logistic ? 0.5 : 2);
	classifier->curvature = fmax(LEAST_CURVATURE, fmin(mean, logistic ? 0.25 : 1));
	solve(classifier, total, step);
	for (int i = 0; i < classifier->terms; i++)
		classifier->weight[i] -= step[i] / classifier->curvature / classifier->passes;
	settle_weights(classifier);
}

/* Element i, j of X'X as it is shifted. */
static double
square_at(const DpClassifier *classifier, int i, int j)
{
	double		between = classifier->rows * classifier->mean[i] * classifier->mean[j];

	return i > 0 && j > 0 ? between + classifier->centred[(i - 1) * (classifier->terms - 1) + j - 1] : between;
}

void
dp_models_classifier_covariance(DpClassifier *classifier, double noise, double *covariance)
{
	int			p = classifier->terms;
	double	   *inner = classifier->scratch;
	double	   *inverse = inner + p * p;
	double		k = classifier->curvature;
	double		unit[DP_PASS_MOST_TERMS] = {0};
	double		column[DP_PASS_MOST_TERMS];

	for (int j = 0; j < p; j++)
	{
		unit[j] = 1;
		if (!classifier->empty)
			solve(classifier, unit, column);
		unit[j] = 0;
		for (int i = 0; i < p && !classifier->empty; i++)
		{
			inverse[i * p + j] = column[i] / k;
			inner[i * p + j] = k * square_at(classifier, i, j) + (i == j ? noise * noise / classifier->passes : 0);
		}
	}
	if (!classifier->empty)
		dp_models_eigen_sandwich(p, inverse, inner, inverse + p * p, covariance);
	for (int i = 0; i < p; i++)
		for (int j = 0; j < p; j++)
			if (classifier->empty || !isfinite(covariance[i * p + j]))
				covariance[i * p + j] = i == j ? INFINITY : 0;
}

void
dp_models_classifier_to_columns(DpClassifier *classifier, const DpLinearScale *scale, double *coef, double *covariance)
{
	int			p = classifier->terms;
	double	   *matrix = classifier->scratch;
	double	   *given = matrix + p * p;

	dp_models_linear_to_columns(p, scale, 1, matrix);
	for (int i = 0; i < p; i++)
	{
		coef[i] = product(p, &matrix[i * p], classifier->weight);
		if (!isfinite(coef[i]))
			coef[i] = 0;
	}
	if (covariance == NULL)
		return;
	memcpy(given, covariance, sizeof(double) * (size_t) p * (size_t) p);
	dp_models_eigen_sandwich(p, matrix, given, given + p * p, covariance);
	for (int i = 0; i < p; i++)
		for (int j = 0; j < p; j++)
			if (!isfinite(covariance[i * p + j]))
				covariance[i * p + j] = i == j ? INFINITY : 0;
}
