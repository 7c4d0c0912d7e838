/*
 * membership_sql.c
 *	  SQL functions: what epsilon and delta leave to somebody who guesses
 *	  whether a unit is in the data.
 *
 * Pure functions of their arguments, within whose domains membership.h holds
 * what it promises; outside them is error 22023.
 */
#include "postgres.h"

#include <float.h>

#include "fmgr.h"

#include "accounting/membership.h"
#include "accounting/privacy_curve.h"

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
