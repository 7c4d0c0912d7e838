/*
 * predict.h
 *	  Predictions of models, from their coefficients.
 *
 * Plain C: no server header.  No finite numbers make NaN of them.
 */
#ifndef DP_MODELS_PREDICT_H
#define DP_MODELS_PREDICT_H

/* coef' x; at most as far from 0 as doubles go. */
extern double dp_predict_value(int terms, const double *coef, const double *x);

/* 1 / (1 + exp(-coef' x)) */
extern double dp_predict_probability(int terms, const double *coef, const double *x);

/* Standard deviation of a value less what is predicted: sqrt(x' covariance x + sigma^2); infinite if unknown. */
extern double dp_predict_deviation(int terms, const double *covariance, double sigma, const double *x);

#endif							/* DP_MODELS_PREDICT_H */
