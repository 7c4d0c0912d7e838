/*
 * joint_total.c
 *	  A count or sum from the noisy totals of a mean or variance.
 *
 * Post-processing: runs above the release and touches nothing else.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "aggregate/exact.h"
#include "aggregate/joint_total.h"
#include "base/compat.h"

/* Totals are limited to this, as nothing that rows add up to exceeds it. */
#define MOST_TOTAL 0x1p126L

PG_FUNCTION_INFO_V1(dp_aggregate_joint_total);
PG_FUNCTION_INFO_V1(dp_aggregate_totals_of_rows);

bytea *
dp_aggregate_mark_totals(const bytea *totals, int count, bool nobody)
{
	__int128	marked[DP_JOINT_TOTALS + 1];

	dp_aggregate_read_totals(totals, count, marked);
	marked[count] = nobody ? 1 : 0;
	return dp_aggregate_make_totals(count + 1, marked);
}

static void
read_weights(const bytea *value, DpJointWeights *weights)
{
	const Size	size = sizeof(DpJointWeights) - VARHDRSZ;
	bool		sane = VARSIZE_ANY_EXHDR(value) == size;

	if (sane)
	{
		memcpy((char *) weights + VARHDRSZ, VARDATA_ANY(value), size);
		sane = weights->totals >= 1 && weights->totals <= DP_JOINT_TOTALS;
		for (int i = 0; i < DP_JOINT_TOTALS; i++)
			sane = sane && isfinite(weights->weight[i]);
	}
	if (!sane)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid description of released totals")));
}

/*
 * joint_total(totals bytea, weights bytea): the sum of marked totals times weights, to the nearest whole
 * number, whatever the mark.
 */
Datum
dp_aggregate_joint_total(PG_FUNCTION_ARGS)
{
	DpJointWeights weights;
	__int128	totals[DP_JOINT_TOTALS + 1];
	__int128	result[1];
	long double sum = 0;

	read_weights(PG_GETARG_BYTEA_PP(1), &weights);
	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), weights.totals + 1, totals);
	for (int i = 0; i < weights.totals; i++)
		sum += (long double) weights.weight[i] * totals[i];
	result[0] = (__int128) rintl(fminl(fmaxl(sum, -MOST_TOTAL), MOST_TOTAL));
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(1, result));
}

/* totals_of_rows(totals bytea, count int4): so many totals without their mark; NULL if they may be of nobody. */
Datum
dp_aggregate_totals_of_rows(PG_FUNCTION_ARGS)
{
	__int128	totals[DP_JOINT_TOTALS + 1];
	int			count = PG_GETARG_INT32(1);

	if (count < 1 || count > DP_JOINT_TOTALS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid description of released totals")));
	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(0), count + 1, totals);
	if (totals[count] != 0)
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(dp_aggregate_make_totals(count, totals));
}
