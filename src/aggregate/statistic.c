/*
 * statistic.c
 *	  From noisy totals of moments to the number an analyst sees.
 *
 * Post-processing: runs above the release and touches nothing else.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregate/exact.h"
#include "aggregate/statistic.h"
#include "base/compat.h"

PG_FUNCTION_INFO_V1(dp_aggregate_released_statistic);

void
dp_aggregate_read_estimate(const bytea *value, const bytea *totals, DpEstimate *estimate,
						   double *numbers)
{
	const Size	size = sizeof(DpEstimate) - VARHDRSZ;
	__int128	exact[DP_MOMENTS_MOST];
	int			parts;

	if (VARSIZE_ANY_EXHDR(value) == size)
		memcpy((char *) estimate + VARHDRSZ, VARDATA_ANY(value), size);
	if (VARSIZE_ANY_EXHDR(value) != size || !dp_estimate_is_sane(estimate))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid description of released totals")));
	parts = dp_estimate_parts(estimate);
	dp_aggregate_read_totals(totals, parts, exact);
	for (int i = 0; i < parts; i++)
		numbers[i] = (double) exact[i];
}

/* released_statistic(totals bytea, estimate bytea): NULL for totals that noise may have made of no rows. */
Datum
dp_aggregate_released_statistic(PG_FUNCTION_ARGS)
{
	DpEstimate	estimate;
	double		totals[DP_MOMENTS_MOST];

	dp_aggregate_read_estimate(PG_GETARG_BYTEA_PP(1), PG_GETARG_BYTEA_PP(0), &estimate, totals);
	if (!dp_estimate_has_rows(&estimate, totals))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(dp_estimate_value(&estimate, totals));
}
