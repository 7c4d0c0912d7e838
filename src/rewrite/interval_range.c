/* SPDX-License-Identifier: PostgreSQL */
/*
 * interval_range.c
 *	  What intervals of all aggregates are made with.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/fmgrprotos.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

#include "accounting/shared_noise.h"
#include "aggregate/estimate.h"
#include "aggregate/exact.h"
#include "aggregate/grid.h"
#include "aggregate/released.h"
#include "base/compat_executor.h"
#include "base/compat_varlena.h"
#include "pricing/block.h"
#include "pricing/half_width.h"
#include "pricing/joint.h"
#include "pricing/selector.h"
#include "rewrite/interval_range.h"

PG_FUNCTION_INFO_V1(dp_rewrite_interval_rounded);

bool
dp_rewrite_read_level(FunctionCallInfo fcinfo, int n, double *level)
{
	*level = PG_GETARG_FLOAT8(n);
	return *level > 0 && *level < 1;
}

Datum
dp_rewrite_range_of(Datum low, bool low_known, Datum high, bool high_known)
{
	RangeBound	lower = {.val = low, .infinite = !low_known, .inclusive = low_known, .lower = true};
	RangeBound	upper = {.val = high, .infinite = !high_known, .inclusive = high_known};

	return RangeTypePGetDatum(DP_MAKE_RANGE(lookup_type_cache(NUMRANGEOID, TYPECACHE_RANGE_INFO),
											&lower, &upper));
}

Datum
dp_rewrite_numeric_of(double value)
{
	return DirectFunctionCall1(float8_numeric, Float8GetDatum(value));
}

Datum
dp_rewrite_make_range(double low, double high)
{
	return dp_rewrite_range_of(isfinite(low) ? dp_rewrite_numeric_of(low) : (Datum) 0, isfinite(low),
							   isfinite(high) ? dp_rewrite_numeric_of(high) : (Datum) 0, isfinite(high));
}

/* interval_rounded(r numrange): where a number that lies in r lies when it is rounded */
Datum
dp_rewrite_interval_rounded(PG_FUNCTION_ARGS)
{
	RangeType  *range = PG_GETARG_RANGE_P(0);
	RangeBound	bound[2];
	bool		empty;

	range_deserialize(lookup_type_cache(NUMRANGEOID, TYPECACHE_RANGE_INFO), range, &bound[0], &bound[1], &empty);
	if (empty)
		PG_RETURN_RANGE_P(range);
	for (int i = 0; i < lengthof(bound); i++)
		if (!bound[i].infinite)
			bound[i].val = DirectFunctionCall2(numeric_round, bound[i].val, Int32GetDatum(0));
	PG_RETURN_DATUM(dp_rewrite_range_of(bound[0].val, !bound[0].infinite, bound[1].val, !bound[1].infinite));
}

bool
dp_rewrite_is_sane_spread(const DpSpread *spread)
{
	const DpNoise *noise = &spread->noise;

	return spread->stddev >= 0 && isfinite(spread->stddev) && spread->slack >= 0 && isfinite(spread->slack) &&
		noise->grid >= DP_GRID_MIN && noise->grid <= DP_GRID_MAX && dp_accounting_is_shared_sanely(noise) &&
		(noise->mechanism == DP_GAUSSIAN ? noise->sigma >= 1 && noise->sigma <= UINT64CONST(1) << 62
		 : noise->mechanism == DP_LAPLACE && noise->scale_num >= 1 && noise->scale_den >= 1);
}

void
dp_rewrite_set_spread(DpSpread *spread, const DpRelease *release, const DpMeasure *measure)
{
	const DpAnswer *answer;

	spread->noise = release->noise[0];
	if (measure->carrier == NULL)
		return;
	answer = dp_pricing_answer_of(measure, release);
	spread->noise.grid = dp_pricing_grid_of_part(measure);
	spread->stddev = dp_pricing_answer_stddev(release, answer);
	spread->slack = answer->slack + (spread->noise.grid > 0 ? ldexp(0.5, spread->noise.grid) : 0);
}

double
dp_rewrite_spread_width(const DpSpread *spread, double probability)
{
	if (spread->stddev > 0)
		return spread->stddev * dp_aggregate_estimate_reach(probability, spread->noise.mechanism == DP_GAUSSIAN) + spread->slack;
	return dp_accounting_half_width(&spread->noise, probability);
}

void
dp_rewrite_read_around(const bytea *value, DpAround *around)
{
	const Size	size = sizeof(DpAround) - VARHDRSZ;
	bool		sane = VARSIZE_ANY_EXHDR(value) == size;

	if (sane)
	{
		memcpy((char *) around + VARHDRSZ, VARDATA_ANY(value), size);
		sane = dp_rewrite_is_sane_spread(&around->spread) && !isnan(around->threshold);
	}
	if (!sane)
		dp_aggregate_refuse_description();
}

double
dp_rewrite_around_width(const DpAround *around, double probability)
{
	double		width = dp_rewrite_spread_width(&around->spread, probability);

	return around->integral ? ceil(width) : width + ldexp(1, around->spread.noise.grid);
}

double
dp_rewrite_selects_by(const DpBlock *block, int i)
{
	return i == block->selector ? (double) block->threshold / dp_pricing_threshold_unit(&block->release[i]) : -INFINITY;
}
