/* SPDX-License-Identifier: PostgreSQL */
/*
 * classifier_fit.c
 *	  From noisy totals of a model and of passes to a classifier, after the release.
 *
 * Post-processing: no totals, however far the noise threw them, raise an error or yield
 * NaN.  Errors: 22023 for bytes that are no such totals.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "aggregate/model_released.h"
#include "models/classifier.h"

/* Columns of the result of logistic_fit, and of svm_fit. */
#define LOGISTIC_COLUMNS 6
#define SVM_COLUMNS 2

PG_FUNCTION_INFO_V1(dp_aggregate_logistic_fit);
PG_FUNCTION_INFO_V1(dp_aggregate_svm_fit);

/* A fitted classifier, in the columns' units. */
typedef struct Fitted
{
	int			terms;
	Datum	   *name;			/* but of the intercept */
	double	   *coef;
	double	   *covariance;		/* NULL: not known */
} Fitted;

/* Go the way that the release went, by its totals. */
static void
follow(const DpModelAbout *about, DpPassLoss loss, const double *total, DpClassifier *classifier)
{
	double	   *room = palloc(dp_models_classifier_room(&about->spec) * sizeof(double));

	dp_models_classifier_start(classifier, &about->spec, loss, total, about->noise, room);
	total += dp_models_model_totals(&about->spec);
	for (int i = 0; i < about->passes; i++, total += dp_models_pass_totals(&about->spec))
		dp_models_classifier_update(classifier, total);
}

/* A classifier of this loss from the arguments: model, terms, scale. */
static void
fit(FunctionCallInfo fcinfo, DpPassLoss loss, Fitted *fitted)
{
	DpClassifier *classifier = palloc(sizeof(DpClassifier));
	DpModelAbout about;
	double	   *total = dp_aggregate_read_model(PG_GETARG_BYTEA_PP(0), &about);
	DpLinearScale *scale;
	int			terms = dp_models_model_coordinates(&about.spec) + 1;

	if (terms < 2 || about.spec.block[about.spec.blocks - 1].kind != DP_MODEL_BOOLEAN ||
		(about.passes > 0 && about.loss != loss))
		dp_aggregate_refuse_model();
	fitted->terms = terms;
	fitted->name = dp_aggregate_read_terms(PG_GETARG_ARRAYTYPE_P(1), terms);
	scale = dp_aggregate_read_scale(PG_GETARG_ARRAYTYPE_P(2), terms);
	fitted->coef = palloc(terms * sizeof(double));
	fitted->covariance = NULL;
	follow(&about, loss, total, classifier);
	if (loss == DP_PASS_LOGISTIC && about.passes > 0)
	{
		fitted->covariance = palloc(terms * terms * sizeof(double));
		dp_models_classifier_covariance(classifier, about.pass_noise, fitted->covariance);
	}
	dp_models_classifier_to_columns(classifier, scale, fitted->coef, fitted->covariance);
}

static Datum
name_of(const Fitted *fitted, int term)
{
	return term == 0 ? CStringGetTextDatum("(intercept)") : fitted->name[term - 1];
}

/* The row of a term of a logistic regression. */
static void
put_logistic(ReturnSetInfo *result, const Fitted *fitted, int term)
{
	double		coef = fitted->coef[term];
	Datum		value[LOGISTIC_COLUMNS] = {name_of(fitted, term), Float8GetDatum(coef)};
	bool		isnull[LOGISTIC_COLUMNS] = {false, false, true, true, true, true};

	if (fitted->covariance)
	{
		double		error = sqrt(fmax(0, fitted->covariance[term * fitted->terms + term]));
		double		z = dp_aggregate_z_value(coef, error);
		bool		unknown = !dp_aggregate_error_is_known(fitted->covariance, fitted->terms, term);

		value[2] = Float8GetDatum(error);
		value[3] = Float8GetDatum(z);
		value[4] = Float8GetDatum(dp_aggregate_p_value(z));
		value[5] = dp_aggregate_covariance_row(fitted->covariance, fitted->terms, term);
		isnull[2] = isnull[3] = isnull[4] = unknown;
		isnull[5] = false;
	}
	tuplestore_putvalues(result->setResult, result->setDesc, value, isnull);
}

/* The row of a term of a support vector machine. */
static void
put_svm(ReturnSetInfo *result, const Fitted *fitted, int term)
{
	Datum		value[SVM_COLUMNS] = {name_of(fitted, term), Float8GetDatum(fitted->coef[term])};
	bool		isnull[SVM_COLUMNS] = {false};

	tuplestore_putvalues(result->setResult, result->setDesc, value, isnull);
}

/* Return the rows of all terms. */
static Datum
return_terms(FunctionCallInfo fcinfo, DpPassLoss loss,
			 void (*put) (ReturnSetInfo *result, const Fitted *fitted, int term))
{
	Fitted		fitted;

	fit(fcinfo, loss, &fitted);
	if (fitted.covariance != NULL)
		dp_aggregate_raise_variances(fitted.covariance, fitted.terms);
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < fitted.terms; i++)
		put((ReturnSetInfo *) fcinfo->resultinfo, &fitted, i);
	return (Datum) 0;
}

/* logistic_fit(model, terms, scale): the rows of dp_logregr.  Arguments are those of linear_fit. */
Datum
dp_aggregate_logistic_fit(PG_FUNCTION_ARGS)
{
	return return_terms(fcinfo, DP_PASS_LOGISTIC, put_logistic);
}

/* svm_fit(model, terms, scale): the rows of dp_svm. */
Datum
dp_aggregate_svm_fit(PG_FUNCTION_ARGS)
{
	return return_terms(fcinfo, DP_PASS_HINGE, put_svm);
}
