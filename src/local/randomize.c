/* SPDX-License-Identifier: PostgreSQL */
/*
 * randomize.c
 *	  Randomised response: an answer made epsilon-differentially private before
 *	  it is stored, for tables that nobody has to protect.
 *
 * The truth is told with probability e^epsilon / (e^epsilon + k - 1), each of
 * the k - 1 other values with probability 1 / (e^epsilon + k - 1) (Warner 1965;
 * Kairouz, Oh, Viswanath 2014), exactly for epsilon rounded down to a multiple
 * of 2^-62.  Whether there is an answer is not hidden, so NULL is refused.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/datum.h"

#include "local/choices.h"
#include "noise/randomize.h"

PG_FUNCTION_INFO_V1(dp_local_randomize_boolean);
PG_FUNCTION_INFO_V1(dp_local_randomize_text);

/* How many places to move on from the truth, among k values. */
static uint32
draw(uint32 k, double epsilon)
{
	double		whole = floor(epsilon);

	return dp_noise_randomized_response(k, (uint64) whole,
										(uint64) ((epsilon - whole) * DP_NOISE_EPSILON_UNIT));
}

static void
check_value(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("cannot randomize NULL"),
				 errhint("Give a missing answer a value of its own in the domain.")));
}

/* dp_randomize(value boolean, epsilon float8) returns boolean */
Datum
dp_local_randomize_boolean(PG_FUNCTION_ARGS)
{
	double		epsilon = dp_local_epsilon(fcinfo, 1);

	check_value(fcinfo);
	PG_RETURN_BOOL(PG_GETARG_BOOL(0) != (draw(2, epsilon) == 1));
}

/* dp_randomize(value text, domain text[], epsilon float8) returns text */
Datum
dp_local_randomize_text(PG_FUNCTION_ARGS)
{
	DpAnswerList *choices = dp_local_choices(fcinfo, 1);
	double		epsilon = dp_local_epsilon(fcinfo, 2);
	int			place;

	check_value(fcinfo);
	place = dp_local_find_choice(choices, PG_GETARG_TEXT_PP(0));
	place = (place + draw(choices->count, epsilon)) % choices->count;
	PG_RETURN_DATUM(datumCopy(choices->value[place], false, -1));
}
