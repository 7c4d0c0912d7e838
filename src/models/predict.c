/*
 * predict.c
 *	  Predictions of models; see predict.h.
 */
#include <float.h>
#include <math.h>

#include "models/predict.h"

static double
limited(double value)
{
	return isnan(value) ? 0 : fmax(-DBL_MAX, fmin(DBL_MAX, value));
}

double
dp_predict_value(int terms, const double *coef, const double *x)
{
	double		sum = 0;

	for (int i = 0; i < terms; i++)
		sum = limited(sum + limited(coef[i] * x[i]));
	return sum;
}

double
dp_predict_probability(int terms, const double *coef, const double *x)
{
	return 1 / (1 + exp(-dp_predict_value(terms, coef, x)));
}

double
dp_predict_deviation(int terms, const double *covariance, double sigma, const double *x)
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
