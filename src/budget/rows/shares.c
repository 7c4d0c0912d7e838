/*
 * shares.c
 *	  Which parts of a budget's delta are whose, as arguments of SQL functions.
 */
#include "postgres.h"

#include <float.h>

#include "budget/rows/shares.h"

/* A rest less one of its parts; none, if the part exceeds it by no more than rounding. */
static double
what_is_left(double rest, double part)
{
	return part > rest && part - rest < 4 * DBL_EPSILON ? 0 : rest - part;
}

static DpShares
read_shares(FunctionCallInfo fcinfo, int first, DpGivenShares *given)
{
	DpShares	shares = dp_accounting_default_shares;
	double		rest;

	given->partition = !PG_ARGISNULL(first);
	given->variance = !PG_ARGISNULL(first + 1);
	given->rdp = !PG_ARGISNULL(first + 2);
	if (given->partition)
		shares.partition = PG_GETARG_FLOAT8(first);
	if (given->variance)
		shares.variance = PG_GETARG_FLOAT8(first + 1);
	if (given->rdp)
		shares.rdp = PG_GETARG_FLOAT8(first + 2);
	if (!given->partition && !given->variance && !given->rdp)
		return shares;
	rest = 1 - shares.partition;
	if (!given->variance && !given->rdp)
		shares.variance = shares.rdp = rest / 2;
	else if (!given->variance)
		shares.variance = what_is_left(rest, shares.rdp);
	else if (!given->rdp)
		shares.rdp = what_is_left(rest, shares.variance);
	return shares;
}

DpShares
dp_budget_shares_read(FunctionCallInfo fcinfo, int first, DpGivenShares *given)
{
	DpShares	shares = read_shares(fcinfo, first, given);

	if (!dp_accounting_are_shares(&shares))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shares of delta must not be negative, nor add up to more than 1"),
				 errhint("What is not given shares the rest; partition_share is 0.1 unless it is given.")));
	return shares;
}
