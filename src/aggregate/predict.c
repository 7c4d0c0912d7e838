/* SPDX-License-Identifier: PostgreSQL */
/*
 * predict.c
 *	  dp_predict and its like: pure functions of released coefficients.
 *
 * Errors: 22023 for arrays of other lengths, null or NaN in them, and levels outside 0 ... 1.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"

#include "models/classifier.h"

PG_FUNCTION_INFO_V1(dp_aggregate_predict);
PG_FUNCTION_INFO_V1(dp_aggregate_predict_prob);
PG_FUNCTION_INFO_V1(dp_aggregate_predict_interval);

/* Halvings that find a quantile as closely as doubles tell. */
#define HALVINGS 200

static void
refuse(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", what)));
}

/* The numbers of an array of any dimensions; infinite ones where these may be. */
static const double *
numbers(ArrayType *array, bool finite, int *count)
{
	const double *value = (const double *) ARR_DATA_PTR(array);

	if (array_contains_nulls(array))
		refuse("arrays must not have nulls");
	*count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	for (int i = 0; i < *count; i++)
		if (isnan(value[i]) || (finite && isinf(value[i])))
			refuse("arrays must have finite numbers");
	return value;
}

/* The array in argument n, of this length. */
static const double *
argument(FunctionCallInfo fcinfo, int n, bool finite, int64 expected)
{
	int			count;
	const double *value = numbers(PG_GETARG_ARRAYTYPE_P(n), finite, &count);

	if (count != expected)
		refuse("coefficients, x and covariance must be of the same terms");
	return value;
}

/* Coefficients in argument 0, and how many there are. */
static const double *
coefficients(FunctionCallInfo fcinfo, int *terms)
{
	const double *coef = numbers(PG_GETARG_ARRAYTYPE_P(0), true, terms);

	if (*terms < 1)
		refuse("coefficients, x and covariance must be of the same terms");
	return coef;
}

/* dp_predict(coef, x) */
Datum
dp_aggregate_predict(PG_FUNCTION_ARGS)
{
	int			terms;
	const double *coef = coefficients(fcinfo, &terms);

	PG_RETURN_FLOAT8(dp_models_predict_value(terms, coef, argument(fcinfo, 1, true, terms)));
}

/* dp_predict_prob(coef, x) */
Datum
dp_aggregate_predict_prob(PG_FUNCTION_ARGS)
{
	int			terms;
	const double *coef = coefficients(fcinfo, &terms);

	PG_RETURN_FLOAT8(dp_models_predict_probability(terms, coef, argument(fcinfo, 1, true, terms)));
}

/* Within how many deviations a normal variable is with this probability. */
static double
deviations(double level)
{
	double		low = 0;
	double		high = 40;

	for (int i = 0; i < HALVINGS; i++)
	{
		double		middle = (low + high) / 2;

		if (erfc(middle / sqrt(2)) > 1 - level)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* dp_predict_interval(coef, covariance, sigma, x, level) */
Datum
dp_aggregate_predict_interval(PG_FUNCTION_ARGS)
{
	int			terms;
	const double *coef = coefficients(fcinfo, &terms);
	const double *covariance = argument(fcinfo, 1, false, (int64) terms * terms);
	double		sigma = PG_GETARG_FLOAT8(2);
	const double *x = argument(fcinfo, 3, true, terms);
	double		level = PG_GETARG_FLOAT8(4);
	double		value = dp_models_predict_value(terms, coef, x);
	double		reach;
	TupleDesc	desc;
	Datum		result[2];
	bool		isnull[2] = {false, false};

	if (!(level > 0 && level < 1))
		refuse("level must be between 0 and 1");
	if (!(sigma >= 0))
		refuse("sigma must not be negative");
	reach = deviations(level) * dp_models_predict_deviation(terms, covariance, sigma, x);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	result[0] = Float8GetDatum(value - reach);
	result[1] = Float8GetDatum(value + reach);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, result, isnull)));
}
