/* SPDX-License-Identifier: PostgreSQL */
/*
 * classifier.h
 *	  Logistic regression and linear support vector machines from noisy totals: those of layout.h, and of any
 *	  number of passes (pass.h).
 *
 * Plain C: no server header.  All of it is made of released numbers.
 *
 * With n rows, means m and the centred matrix C = X'X - n m m', the start is the linear regression of y on C +
 * lambda, lambda as for linear models.  Logistic: its coefficients times 2 n / rss, where rss is the
 * sum of squared residuals, which is what the discriminant of two normal groups has, and an intercept with which the
 * mean fits.
 *
 * Pass t = 1, 2, ... brings the gradient g at the weights so far, and the curvature.  Weights then become
 * w - (K X'X)^-1 g / t, where K is the mean curvature, within bounds, and X'X that of C + lambda; and are scaled
 * down if one exceeds 20.  Steps of 1 / t average the noise of all passes.
 *
 * Nothing is NaN, and all weights are within 20.  With one row or less, by the noisy count, they are 0.
 */
#ifndef DP_MODELS_CLASSIFIER_H
#define DP_MODELS_CLASSIFIER_H

#include "models/linear_fit.h"
#include "models/pass.h"

typedef struct DpClassifier
{
	DpPassLoss	loss;
	int			terms;
	int			passes;			/* so far */
	bool		empty;			/* one row or less */
	double		rows;
	double		curvature;		/* mean, of the last pass, within bounds */
	double		mean[DP_PASS_MOST_TERMS];	/* of coordinates, behind that of the constant */
	double	   *centred;		/* C + lambda, coordinates squared; */
	double	   *inverse;		/* its inverse; */
	double	   *scratch;		/* three times terms squared */
	double		weight[DP_PASS_MOST_TERMS]; /* intercept first: multiples of 2^-20 */
} DpClassifier;

/* How many doubles of room a classifier of such a model needs. */
extern size_t dp_models_classifier_room(const DpModelSpec *spec);

/* Start from totals of a model whose last block is y, in units of a row, whose noise has this deviation > 0. */
extern void dp_models_classifier_start(DpClassifier *classifier, const DpModelSpec *spec, DpPassLoss loss,
									   const double *total, double noise, double *room);

/* The weights as a pass takes them. */
extern void dp_models_classifier_weights(const DpClassifier *classifier, int32_t *weight);

/* Take in the totals of a pass, in units of a row. */
extern void dp_models_classifier_update(DpClassifier *classifier, const double *total);

/*
 * The covariance of the weights after one pass or more of logistic loss, terms squared,
 * where the noise of each of their totals has this deviation: (K X'X)^-1 (K X'X +
 * noise^2 / passes) (K X'X)^-1.  This is of first order: it allows for sampling and
 * noise, not for the error that the starting weights leave.
 */
extern void dp_models_classifier_covariance(DpClassifier *classifier, double noise, double *covariance);

/* Coefficients, and their covariance unless NULL, which is changed in place, in the columns' units. */
extern void dp_models_classifier_to_columns(DpClassifier *classifier, const DpLinearScale *scale, double *coef,
											double *covariance);

/*
 * Predictions of models, from their coefficients.
 *
 * Plain C: no server header.  No finite numbers make NaN of them.
 */

/* coef' x; at most as far from 0 as doubles go. */
extern double dp_models_predict_value(int terms, const double *coef, const double *x);

/* 1 / (1 + exp(-coef' x)) */
extern double dp_models_predict_probability(int terms, const double *coef, const double *x);

/* Standard deviation of a value less what is predicted: sqrt(x' covariance x + sigma^2); infinite if unknown. */
extern double dp_models_predict_deviation(int terms, const double *covariance, double sigma, const double *x);

#endif							/* DP_MODELS_CLASSIFIER_H */
