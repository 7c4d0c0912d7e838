/* SPDX-License-Identifier: PostgreSQL */
/*
 * model_released.h
 *	  How the totals of a model became public, and from there to its coefficients.
 */
#ifndef DP_AGGREGATE_MODEL_RELEASED_H
#define DP_AGGREGATE_MODEL_RELEASED_H

#include "postgres.h"

#include "utils/array.h"

#include "models/linear_fit.h"

/*
 * The argument of released_model, a bytea constant in plans.  What stands for a model above its
 * release is a bytea, too: this, and behind it the totals in units of a row, as doubles, and those of passes.
 */
typedef struct DpModelAbout
{
	int32		vl_len_;		/* varlena header */
	DpModelSpec spec;
	double		unit;			/* of noisy totals, in rows */
	double		noise;			/* standard deviation of the noise of a total, in rows */
	int32		loss;			/* DpPassLoss */
	int32		passes;
	double		pass_noise;		/* the same of a total of a pass; 0 without passes */
} DpModelAbout;

/*
 * Read a released model: what it is, and its totals; names of its terms but the intercept; and middle and half
 * width of each coordinate's column and of what is predicted.  22023 for anything else.
 */
extern double *dp_aggregate_read_model(const bytea *value, DpModelAbout *about);
extern Datum *dp_aggregate_read_terms(ArrayType *array, int terms);
extern DpLinearScale *dp_aggregate_read_scale(ArrayType *array, int terms);

/* A row of a covariance, terms squared, as an array. */
extern Datum dp_aggregate_covariance_row(const double *covariance, int terms, int term);

/*
 * Raise variances of a covariance, terms squared, that are too small for a double's full precision, to what is
 * above them, so that no prediction is taken to be surer than it is.  A coefficient's error is known where
 * its variance is not among these: otherwise it would be 0, and the coefficient be beyond all doubt.  A NOTICE
 * tells of the first one.
 */
extern void dp_aggregate_raise_variances(double *covariance, int terms);
extern bool dp_aggregate_error_is_known(const double *covariance, int terms, int term);

/* Two-sided, of a coefficient that is off by a normal variable with this deviation > 0. */
extern double dp_aggregate_z_value(double coef, double std_err);
extern double dp_aggregate_p_value(double z);

/* 22023: these are no totals of a model. */
extern void dp_aggregate_refuse_model(void);

#endif							/* DP_AGGREGATE_MODEL_RELEASED_H */
