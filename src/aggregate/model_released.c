/* SPDX-License-Identifier: PostgreSQL */
/*
 * model_released.c
 *	  From noisy totals of a model to its coefficients, after the release.
 *
 * Post-processing: no totals, however far the noise threw them, raise an error or yield
 * NaN.  Errors: 22023 for bytes that are no such totals.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "aggregate/exact.h"
#include "aggregate/model_released.h"
#include "base/compat_varlena.h"
#include "models/linear_fit.h"
#include "models/pass.h"

/* Columns of the result of linear_fit. */
#define COLUMNS 9

/* 95 % of a normal variable lie within so many standard deviations. */
#define TWO_SIDED 1.959963984540054

PG_FUNCTION_INFO_V1(dp_aggregate_released_model);
PG_FUNCTION_INFO_V1(dp_aggregate_linear_fit);

void
dp_aggregate_refuse_model(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid totals of a model")));
}

/* How many totals are released of a model. */
static int
released_totals(const DpModelAbout *about)
{
	return dp_models_model_totals(&about->spec) + about->passes * dp_models_pass_totals(&about->spec);
}

/* Is what is said of passes sane? */
static bool
passes_are_sane(const DpModelAbout *about)
{
	if (about->passes < 0 || about->passes > DP_MOST_PASSES || about->loss < 0 || about->loss >= DP_PASS_LOSSES)
		return false;
	return about->passes == 0 || (about->pass_noise > 0 && isfinite(about->pass_noise));
}

/* Bytes of a model with so many totals. */
static Size
size_of(int totals)
{
	return sizeof(DpModelAbout) + totals * sizeof(double);
}

/* Message about a model that has at least these bytes. */
static void
read_about(const bytea *value, DpModelAbout *about)
{
	if (VARSIZE_ANY_EXHDR(value) < sizeof(DpModelAbout) - VARHDRSZ)
		dp_aggregate_refuse_model();
	memcpy((char *) about + VARHDRSZ, VARDATA_ANY(value), sizeof(DpModelAbout) - VARHDRSZ);
	if (!dp_models_model_spec_is_sane(&about->spec) || !(about->unit > 0) || !isfinite(about->unit) ||
		!(about->noise > 0) || !isfinite(about->noise) || !passes_are_sane(about))
		dp_aggregate_refuse_model();
}

/* released_model(totals, about): the model as it is released. */
Datum
dp_aggregate_released_model(PG_FUNCTION_ARGS)
{
	__int128	noisy[DP_MODEL_MOST_TOTALS + DP_MOST_PASSES * DP_PASS_MOST_TOTALS];
	DpModelAbout about;
	double	   *total;
	char	   *result;
	int			totals;

	read_about(PG_GETARG_BYTEA_PP(1), &about);
	totals = released_totals(&about);
	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), totals, noisy);
	result = palloc(size_of(totals));
	memcpy(result, &about, sizeof(about));
	total = (double *) (result + sizeof(about));
	for (int i = 0; i < totals; i++)
		total[i] = (double) noisy[i] * about.unit;
	SET_VARSIZE(result, size_of(totals));
	PG_RETURN_BYTEA_P((bytea *) result);
}

double *
dp_aggregate_read_model(const bytea *value, DpModelAbout *about)
{
	int			totals;
	double	   *total;

	read_about(value, about);
	totals = released_totals(about);
	total = palloc(totals * sizeof(double));
	if (VARSIZE_ANY_EXHDR(value) != size_of(totals) - VARHDRSZ)
		dp_aggregate_refuse_model();
	memcpy(total, VARDATA_ANY(value) + sizeof(DpModelAbout) - VARHDRSZ, totals * sizeof(double));
	for (int i = 0; i < totals; i++)
		if (!isfinite(total[i]))
			dp_aggregate_refuse_model();
	return total;
}

/* The elements of an array, of which there must be so many, none of them null. */
static Datum *
elements(ArrayType *array, Oid type, int16 length, bool byval, char align, int expected)
{
	Datum	   *value;
	int			count;

	if (ARR_ELEMTYPE(array) != type || ARR_HASNULL(array))
		dp_aggregate_refuse_model();
	deconstruct_array(array, type, length, byval, align, &value, NULL, &count);
	if (count != expected)
		dp_aggregate_refuse_model();
	return value;
}

Datum *
dp_aggregate_read_terms(ArrayType *array, int terms)
{
	return elements(array, TEXTOID, -1, false, TYPALIGN_INT, terms - 1);
}

/* They are one behind the other. */
DpLinearScale *
dp_aggregate_read_scale(ArrayType *array, int terms)
{
	Datum	   *value = elements(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, 2 * terms);
	DpLinearScale *scale = palloc(terms * sizeof(DpLinearScale));

	for (int i = 0; i < terms; i++)
	{
		scale[i].middle = DatumGetFloat8(value[2 * i]);
		scale[i].half = DatumGetFloat8(value[2 * i + 1]);
		if (!isfinite(scale[i].middle) || !isfinite(scale[i].half) || !(scale[i].half > 0))
			dp_aggregate_refuse_model();
	}
	return scale;
}

Datum
dp_aggregate_covariance_row(const double *covariance, int terms, int term)
{
	Datum		value[DP_LINEAR_MOST_TERMS];

	for (int i = 0; i < terms; i++)
		value[i] = Float8GetDatum(covariance[term * terms + i]);
	return PointerGetDatum(construct_array(value, terms, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
										   TYPALIGN_DOUBLE));
}

/* What is not above this had no full precision, or became 0.  The factor allows for all terms going together. */
static double
raised_variance(int terms)
{
	return DBL_MIN * terms;
}

void
dp_aggregate_raise_variances(double *covariance, int terms)
{
	bool		raised = false;

	for (int i = 0; i < terms; i++)
		if (!(covariance[i * terms + i] > raised_variance(terms)))
		{
			covariance[i * terms + i] = raised_variance(terms);
			raised = true;
		}
	if (raised)
		ereport(NOTICE,
				(errmsg("errors of coefficients are NULL because their variances are too small for double precision"),
				 errhint("Ask for columns in other units, such as thousandths, of which values are larger.")));
}

bool
dp_aggregate_error_is_known(const double *covariance, int terms, int term)
{
	return covariance[term * terms + term] > raised_variance(terms);
}

double
dp_aggregate_z_value(double coef, double std_err)
{
	return coef / std_err;
}

double
dp_aggregate_p_value(double z)
{
	return erfc(fabs(z) / sqrt(2));
}

/* The row of a term. */
static void
put_term(ReturnSetInfo *result, const DpLinearFit *fit, int term, Datum name)
{
	double		error = fit->std_err[term];
	double		centre = fit->centre[term];
	double		t = dp_aggregate_z_value(centre, error);
	bool		unknown = !dp_aggregate_error_is_known(fit->covariance, fit->terms, term);
	Datum		value[COLUMNS] = {
		name, Float8GetDatum(fit->coef[term]), Float8GetDatum(error), Float8GetDatum(t),
		Float8GetDatum(dp_aggregate_p_value(t)), Float8GetDatum(centre - TWO_SIDED * error),
		Float8GetDatum(centre + TWO_SIDED * error), BoolGetDatum(fit->shrunk), dp_aggregate_covariance_row(fit->covariance, fit->terms, term)
	};
	bool		isnull[COLUMNS] = {false, false, unknown, unknown, unknown, unknown, unknown, false, false};

	tuplestore_putvalues(result->setResult, result->setDesc, value, isnull);
}

/* The row of the deviation of residuals. */
static void
put_sigma(ReturnSetInfo *result, const DpLinearFit *fit)
{
	Datum		value[COLUMNS] = {
		CStringGetTextDatum("(sigma)"), Float8GetDatum(fit->sigma), 0, 0, 0, Float8GetDatum(fit->sigma_lower),
		Float8GetDatum(fit->sigma_upper), BoolGetDatum(fit->shrunk), 0
	};
	bool		isnull[COLUMNS] = {false, false, true, true, true, false, false, false, true};

	tuplestore_putvalues(result->setResult, result->setDesc, value, isnull);
}

/*
 * linear_fit(model, terms, scale): the rows of dp_linregr.  Terms are the names of all but the intercept; scale is
 * middle and half width of the column of each, and of what is predicted.
 */
Datum
dp_aggregate_linear_fit(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpLinearFit *fit = palloc(sizeof(DpLinearFit));
	DpModelAbout about;
	double	   *total;
	double	   *room;
	Datum	   *name;
	int			terms;

	total = dp_aggregate_read_model(PG_GETARG_BYTEA_PP(0), &about);
	terms = dp_models_model_coordinates(&about.spec) + 1;
	if (terms < 2 || about.passes != 0 || about.spec.block[about.spec.blocks - 1].kind != DP_MODEL_NUMBER)
		dp_aggregate_refuse_model();
	name = dp_aggregate_read_terms(PG_GETARG_ARRAYTYPE_P(1), terms);
	room = palloc(dp_models_linear_fit_room(&about.spec) * sizeof(double));
	dp_models_linear_fit(&about.spec, total, about.noise, dp_aggregate_read_scale(PG_GETARG_ARRAYTYPE_P(2), terms), room, fit);
	dp_aggregate_raise_variances(fit->covariance, terms);
	InitMaterializedSRF(fcinfo, 0);
	put_term(result, fit, 0, CStringGetTextDatum("(intercept)"));
	for (int i = 1; i < terms; i++)
		put_term(result, fit, i, name[i - 1]);
	put_sigma(result, fit);
	return (Datum) 0;
}
