/*
 * exact_functions.c
 *	  Functions the rewriter puts into exact plans.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "fmgr.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#include "noise/random.h"
#include "query/validate/allow_list.h"
#include "query/validate/running.h"
#include "query/validate/value_size.h"

PG_FUNCTION_INFO_V1(dp_query_detoasted);
PG_FUNCTION_INFO_V1(dp_query_random_priority);
PG_FUNCTION_INFO_V1(dp_query_canonical_float4);
PG_FUNCTION_INFO_V1(dp_query_canonical_float8);

/* Is the first argument of a type whose values may lie out of line?  Looked up once. */
static bool
may_lie_out_of_line(FmgrInfo *call)
{
	bool	   *known = call->fn_extra;

	if (known == NULL)
	{
		known = MemoryContextAlloc(call->fn_mcxt, sizeof(bool));
		*known = get_typlen(get_fn_expr_argtype(call, 0)) == -1;
		call->fn_extra = known;
	}
	return *known;
}

/*
 * A value of a public table, with nothing of it in a TOAST table, under a running release;
 * an error anywhere else.  NULL if it is longer than expressions take: copying many
 * megabytes along with a row that matches takes time that tells.
 */
Datum
dp_query_detoasted(PG_FUNCTION_ARGS)
{
	if (!dp_query_release_running)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("exact totals are only available to a differentially private release")));
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (!may_lie_out_of_line(fcinfo->flinfo))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	if (dp_query_value_size(PG_GETARG_DATUM(0)) > DP_MAX_VALUE_SIZE)
		PG_RETURN_NULL();
	if (VARATT_IS_EXTERNAL(PG_GETARG_POINTER(0)))
		PG_RETURN_POINTER(detoast_external_attr((struct varlena *) PG_GETARG_POINTER(0)));
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* Sixty-four fresh random bits. */
Datum
dp_query_random_priority(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) dp_noise_random64());
}

/* A float with one zero and one NaN: equal values have the same bits. */
Datum
dp_query_canonical_float4(PG_FUNCTION_ARGS)
{
	float4		x = PG_GETARG_FLOAT4(0);

	PG_RETURN_FLOAT4(isnan(x) ? get_float4_nan() : x == 0 ? 0 : x);
}

Datum
dp_query_canonical_float8(PG_FUNCTION_ARGS)
{
	float8		x = PG_GETARG_FLOAT8(0);

	PG_RETURN_FLOAT8(isnan(x) ? get_float8_nan() : x == 0 ? 0 : x);
}
