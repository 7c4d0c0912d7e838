/* SPDX-License-Identifier: PostgreSQL */
/*
 * theorems_sql.c
 *	  SQL functions for analysts: Renyi curves, conversions, privacy curves,
 *	  calibration, composition, thresholds.
 *
 * Pure functions of their arguments.  Each argument has a domain, within which
 * the plain-C functions hold what their headers promise; outside it is error
 * 22023.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"

#include "accounting/composition.h"
#include "accounting/conversion.h"
#include "accounting/curve.h"
#include "accounting/mechanisms.h"
#include "accounting/membership.h"
#include "accounting/privacy_curve.h"
#include "accounting/subsampling.h"
#include "accounting/threshold.h"

/*
 * SQL functions: what epsilon and delta leave to somebody who guesses
 * whether a unit is in the data.
 *
 * Pure functions of their arguments, within whose domains membership.h holds
 * what it promises; outside them is error 22023.
 */

/* An argument from least to greatest, and that in words. */
static double
argument(FunctionCallInfo fcinfo, int n, const char *name, double least, double greatest,
		 const char *words)
{
	double		value = PG_GETARG_FLOAT8(n);

	if (!(value >= least && value <= greatest))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be %s", name, words)));
	return value;
}

static double
prior_argument(FunctionCallInfo fcinfo)
{
	return argument(fcinfo, 0, "prior", 0, 1, "between 0 and 1");
}

static double
epsilon_argument(FunctionCallInfo fcinfo)
{
	return argument(fcinfo, 1, "epsilon", 0, DP_MAX_CURVE_EPSILON, "between 0 and 1e6");
}

static double
delta_argument(FunctionCallInfo fcinfo)
{
	return argument(fcinfo, 2, "delta", 0, 1, "between 0 and 1");
}

PG_FUNCTION_INFO_V1(dp_accounting_sql_max_posterior);

Datum
dp_accounting_sql_max_posterior(PG_FUNCTION_ARGS)
{
	double		prior = prior_argument(fcinfo);
	double		epsilon = epsilon_argument(fcinfo);
	double		delta = delta_argument(fcinfo);
	double		risk = argument(fcinfo, 3, "risk", DBL_TRUE_MIN, 0.5,
								"greater than 0 and at most 0.5");

	PG_RETURN_FLOAT8(dp_accounting_max_posterior(prior, epsilon, delta, risk));
}

PG_FUNCTION_INFO_V1(dp_accounting_sql_max_guess);

Datum
dp_accounting_sql_max_guess(PG_FUNCTION_ARGS)
{
	double		prior = prior_argument(fcinfo);
	double		epsilon = epsilon_argument(fcinfo);
	double		delta = delta_argument(fcinfo);

	PG_RETURN_FLOAT8(dp_accounting_max_guess(prior, epsilon, delta));
}

/* Domain of an argument: from least to greatest, and that in words. */
typedef struct Domain
{
	const char *name;
	double		least;
	double		greatest;
	const char *words;
} Domain;

/* The double before 1. */
#define BELOW_ONE (1 - DBL_EPSILON / 2)
#define ANY_POSITIVE DBL_TRUE_MIN, DBL_MAX, "greater than 0 and finite"
#define ANY_COST 0, DBL_MAX, "at least 0 and finite"
#define OPEN_UNIT DBL_TRUE_MIN, BELOW_ONE, "greater than 0 and less than 1"

static const Domain alpha = {"alpha", DP_MIN_ALPHA, DP_MAX_ALPHA, "between 1.01 and 1e9"};

static const Domain sampled_alpha = {"alpha", DP_MIN_ALPHA, DP_MAX_SAMPLED_ALPHA,
	"between 1.01 and 1e5"};

static const Domain sigma = {"sigma", ANY_POSITIVE};
static const Domain sensitivity = {"sensitivity", ANY_POSITIVE};
static const Domain real_scale = {"scale", ANY_POSITIVE};
static const Domain scale = {"scale", DP_MIN_SCALE, DP_MAX_SCALE, "between 0.001 and 1e18"};
static const Domain sigma2 = {"sigma2", DP_MIN_SIGMA2, DP_MAX_SIGMA2, "between 1e-6 and 1e30"};
static const Domain truth = {"p", OPEN_UNIT};
static const Domain sample = {"p", DBL_TRUE_MIN, 1, "greater than 0 and at most 1"};
static const Domain epsilon = {"epsilon", 0, DP_MAX_CURVE_EPSILON, "between 0 and 1e6"};
static const Domain some_epsilon = {"epsilon", 1e-9, DP_MAX_CURVE_EPSILON, "between 1e-9 and 1e6"};
static const Domain each_epsilon = {"each of epsilons", 0, DP_MAX_CURVE_EPSILON, "between 0 and 1e6"};
static const Domain delta = {"delta", OPEN_UNIT};
static const Domain half_delta = {"delta", DBL_TRUE_MIN, 0.5, "greater than 0 and at most 0.5"};
static const Domain any_delta = {"delta", 0, 1, "between 0 and 1"};
static const Domain composed_delta = {"delta", 0, BELOW_ONE, "at least 0 and less than 1"};
static const Domain total_delta = {"delta_total", 0, BELOW_ONE, "at least 0 and less than 1"};
static const Domain each_delta = {"each of deltas", 0, 1, "between 0 and 1"};
static const Domain slack = {"slack", OPEN_UNIT};
static const Domain rdp = {"rdp", ANY_COST};
static const Domain rho = {"rho", ANY_COST};
static const Domain mu = {"mu", ANY_POSITIVE};

static double
check_real(double value, const Domain *domain)
{
	if (!(value >= domain->least && value <= domain->greatest))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be %s", domain->name, domain->words)));
	return value;
}

static double
real_argument(FunctionCallInfo fcinfo, int n, const Domain *domain)
{
	return check_real(PG_GETARG_FLOAT8(n), domain);
}

static int64
check_integer(int64 value, const char *name, int64 least, int64 greatest)
{
	if (value < least || value > greatest)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between " INT64_FORMAT " and " INT64_FORMAT,
						name, least, greatest)));
	return value;
}

static int64
shift_argument(FunctionCallInfo fcinfo, int n)
{
	return check_integer(PG_GETARG_INT64(n), "sensitivity", 1, PG_INT64_MAX);
}

static int
groups_argument(FunctionCallInfo fcinfo, int n)
{
	return (int) check_integer(PG_GETARG_INT32(n), "max_groups", 1, PG_INT32_MAX);
}

static int
count_argument(FunctionCallInfo fcinfo, int n)
{
	return (int) check_integer(PG_GETARG_INT32(n), "k", 1, DP_MAX_COMPOSED);
}

/* The elements of an array, which stay the array's. */
static const double *
array_argument(FunctionCallInfo fcinfo, int n, const Domain *domain, size_t *count)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(n);
	const double *values = (const double *) ARR_DATA_PTR(array);
	int			length = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) > 1 || array_contains_nulls(array) || length > DP_MAX_COMPOSED)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("arrays must have one dimension, no nulls and at most %d elements",
						DP_MAX_COMPOSED)));
	for (int i = 0; i < length; i++)
		check_real(values[i], domain);
	*count = length;
	return values;
}

/* The arguments of a composition: as many deltas as epsilons. */
static size_t
composed_arguments(FunctionCallInfo fcinfo, const double **epsilons, const double **deltas)
{
	size_t		count;
	size_t		count_deltas;

	*epsilons = array_argument(fcinfo, 0, &each_epsilon, &count);
	*deltas = array_argument(fcinfo, 1, &each_delta, &count_deltas);
	if (count != count_deltas)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilons and deltas must have the same length")));
	return count;
}

/* A row (epsilon, delta). */
static Datum
guarantee_datum(FunctionCallInfo fcinfo, DpGuarantee guarantee)
{
	TupleDesc	desc;
	Datum		values[2] = {Float8GetDatum(guarantee.epsilon), Float8GetDatum(guarantee.delta)};
	bool		nulls[2] = {false, false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

/* dp_accounting_sql_NAME: `function` of two or three checked numbers. */
#define OF_TWO(name, function, first, second) \
	PG_FUNCTION_INFO_V1(dp_accounting_sql_##name); \
	Datum \
	dp_accounting_sql_##name(PG_FUNCTION_ARGS) \
	{ \
		double		a = real_argument(fcinfo, 0, &first); \
		double		b = real_argument(fcinfo, 1, &second); \
		\
		PG_RETURN_FLOAT8(function(a, b)); \
	}
#define OF_THREE(name, function, first, second, third) \
	PG_FUNCTION_INFO_V1(dp_accounting_sql_##name); \
	Datum \
	dp_accounting_sql_##name(PG_FUNCTION_ARGS) \
	{ \
		double		a = real_argument(fcinfo, 0, &first); \
		double		b = real_argument(fcinfo, 1, &second); \
		double		c = real_argument(fcinfo, 2, &third); \
		\
		PG_RETURN_FLOAT8(function(a, b, c)); \
	}

/* ... of two checked numbers and a whole sensitivity. */
#define OF_SHIFT(name, function, first, second) \
	PG_FUNCTION_INFO_V1(dp_accounting_sql_##name); \
	Datum \
	dp_accounting_sql_##name(PG_FUNCTION_ARGS) \
	{ \
		double		a = real_argument(fcinfo, 0, &first); \
		double		b = real_argument(fcinfo, 1, &second); \
		int64		shift = shift_argument(fcinfo, 2); \
		\
		PG_RETURN_FLOAT8(function(a, b, shift)); \
	}

/* ... of noise, delta and a number of groups. */
#define OF_GROUPS(name, function, noise) \
	PG_FUNCTION_INFO_V1(dp_accounting_sql_##name); \
	Datum \
	dp_accounting_sql_##name(PG_FUNCTION_ARGS) \
	{ \
		double		a = real_argument(fcinfo, 0, &noise); \
		double		b = real_argument(fcinfo, 1, &delta); \
		int			groups = groups_argument(fcinfo, 2); \
		\
		PG_RETURN_FLOAT8(function(a, b, groups)); \
	}

/* Curves. */
OF_THREE(rdp_gaussian, dp_accounting_rdp_gaussian, alpha, sigma, sensitivity)
OF_THREE(rdp_laplace, dp_accounting_rdp_laplace, alpha, real_scale, sensitivity)
OF_SHIFT(rdp_discrete_laplace, dp_accounting_rdp_laplace_integer, alpha, scale)
OF_SHIFT(rdp_discrete_gaussian, dp_accounting_rdp_gaussian_integer, alpha, sigma2)
OF_TWO(rdp_pure, dp_accounting_rdp_pure, alpha, epsilon)
OF_TWO(rdp_randomized_response, dp_accounting_rdp_randomized_response, alpha, truth)
OF_TWO(rdp_exponential, dp_accounting_rdp_exponential, alpha, epsilon)
OF_THREE(rdp_subsampled_gaussian, dp_accounting_rdp_subsampled_gaussian, sampled_alpha, sample, sigma)
OF_THREE(rdp_subsampled_laplace, dp_accounting_rdp_subsampled_laplace, sampled_alpha, sample, scale)

/* Conversions. */
OF_THREE(rdp_to_epsilon, dp_accounting_rdp_to_epsilon, alpha, rdp, delta)
OF_THREE(rdp_to_delta, dp_accounting_rdp_to_delta, alpha, rdp, epsilon)
OF_TWO(zcdp_to_epsilon, dp_accounting_zcdp_to_epsilon, rho, delta)
OF_TWO(zcdp_to_delta, dp_accounting_zcdp_to_delta, rho, epsilon)
OF_TWO(zcdp_max_rho, dp_accounting_zcdp_max_rho, epsilon, delta)

/* Privacy curves and calibration. */
OF_THREE(gaussian_delta, dp_accounting_gaussian_delta, sigma, epsilon, sensitivity)
OF_THREE(gaussian_sigma, dp_accounting_gaussian_sigma, some_epsilon, half_delta, sensitivity)
OF_THREE(laplace_delta, dp_accounting_laplace_delta, real_scale, epsilon, sensitivity)
OF_SHIFT(discrete_laplace_delta, dp_accounting_discrete_laplace_delta, scale, epsilon)
OF_SHIFT(discrete_gaussian_delta, dp_accounting_discrete_gaussian_delta, sigma2, epsilon)
OF_TWO(gdp_to_delta, dp_accounting_gdp_to_delta, mu, epsilon)
OF_TWO(gdp_to_epsilon, dp_accounting_gdp_to_epsilon, mu, delta)

PG_FUNCTION_INFO_V1(dp_accounting_sql_discrete_laplace_variance);

Datum
dp_accounting_sql_discrete_laplace_variance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dp_accounting_discrete_laplace_variance(real_argument(fcinfo, 0, &scale)));
}

PG_FUNCTION_INFO_V1(dp_accounting_sql_discrete_gaussian_variance);

Datum
dp_accounting_sql_discrete_gaussian_variance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dp_accounting_discrete_gaussian_variance(real_argument(fcinfo, 0, &sigma2)));
}

/* Composition. */
PG_FUNCTION_INFO_V1(dp_accounting_sql_basic_composition);

Datum
dp_accounting_sql_basic_composition(PG_FUNCTION_ARGS)
{
	const double *epsilons;
	const double *deltas;
	size_t		count = composed_arguments(fcinfo, &epsilons, &deltas);

	return guarantee_datum(fcinfo, dp_accounting_basic_composition(count, epsilons, deltas));
}

PG_FUNCTION_INFO_V1(dp_accounting_sql_advanced_composition);

Datum
dp_accounting_sql_advanced_composition(PG_FUNCTION_ARGS)
{
	const double *epsilons;
	const double *deltas;
	size_t		count = composed_arguments(fcinfo, &epsilons, &deltas);

	return guarantee_datum(fcinfo, dp_accounting_advanced_composition(count, epsilons, deltas,
																	  real_argument(fcinfo, 2, &slack)));
}

PG_FUNCTION_INFO_V1(dp_accounting_sql_kov_bound);

Datum
dp_accounting_sql_kov_bound(PG_FUNCTION_ARGS)
{
	const double *epsilons;
	const double *deltas;
	size_t		count = composed_arguments(fcinfo, &epsilons, &deltas);

	return guarantee_datum(fcinfo, dp_accounting_kov_bound(count, epsilons, deltas,
														   real_argument(fcinfo, 2, &slack)));
}

PG_FUNCTION_INFO_V1(dp_accounting_sql_advanced_composition_drv);

Datum
dp_accounting_sql_advanced_composition_drv(PG_FUNCTION_ARGS)
{
	double		each = real_argument(fcinfo, 0, &epsilon);
	int			k = count_argument(fcinfo, 1);

	PG_RETURN_FLOAT8(dp_accounting_advanced_composition_drv(each, k,
															real_argument(fcinfo, 2, &slack)));
}

PG_FUNCTION_INFO_V1(dp_accounting_sql_kov_optimal);

Datum
dp_accounting_sql_kov_optimal(PG_FUNCTION_ARGS)
{
	double		each = real_argument(fcinfo, 0, &epsilon);
	double		lost = real_argument(fcinfo, 1, &composed_delta);
	int			k = count_argument(fcinfo, 2);

	PG_RETURN_FLOAT8(dp_accounting_kov_optimal(each, lost, k, real_argument(fcinfo, 3, &total_delta)));
}

PG_FUNCTION_INFO_V1(dp_accounting_sql_group_privacy);

Datum
dp_accounting_sql_group_privacy(PG_FUNCTION_ARGS)
{
	double		each = real_argument(fcinfo, 0, &epsilon);
	double		lost = real_argument(fcinfo, 1, &any_delta);

	return guarantee_datum(fcinfo, dp_accounting_group_privacy(each, lost, count_argument(fcinfo, 2)));
}

/* Thresholds. */
OF_GROUPS(discrete_laplace_threshold, dp_accounting_discrete_laplace_threshold, scale)
OF_GROUPS(discrete_gaussian_threshold, dp_accounting_discrete_gaussian_threshold, sigma2)

PG_FUNCTION_INFO_V1(dp_accounting_sql_partition_select_probability);

Datum
dp_accounting_sql_partition_select_probability(PG_FUNCTION_ARGS)
{
	int64		n = check_integer(PG_GETARG_INT64(0), "n", 0, PG_INT64_MAX);
	double		b = real_argument(fcinfo, 1, &some_epsilon);

	PG_RETURN_FLOAT8(dp_accounting_partition_select(n, b, real_argument(fcinfo, 2, &delta)));
}
