/* SPDX-License-Identifier: PostgreSQL */
/*
 * add_noise.c
 *	  Exact values of a release, and what noise makes of them.
 *
 * Everything is in integers, from the totals that the exact plan delivers to
 * those that are released; what they mean as numbers is worked out above.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "accounting/shared_noise.h"
#include "aggregate/exact.h"
#include "aggregate/moments.h"
#include "draw/add_noise.h"
#include "noise/sampler.h"
#include "noise/shared.h"
#include "pricing/kind.h"
#include "pricing/release.h"
#include "pricing/selector.h"
#include "pricing/shared_noise.h"

DpInt128
dp_draw_draw_noise(const DpNoise *noise)
{
	if (noise->own > 0)
		elog(ERROR, "noise is shared");
	return noise->mechanism == DP_GAUSSIAN
		? dp_noise_discrete_gaussian(noise->sigma)
		: dp_noise_discrete_laplace(noise->scale_num, noise->scale_den);
}

DpInt128
dp_draw_round_shift(DpInt128 value, int shift)
{
	return (value + ((DpInt128) 1 << (shift - 1))) >> shift;
}

DpSharedDraw
dp_draw_shared_noise(const DpBlock *block)
{
	DpSharedDraw shared = {.noise = &block->shared};

	if (dp_pricing_shares_noise(block))
		shared.drawn = dp_draw_draw_noise(&block->shared);
	return shared;
}

DpInt128
dp_draw_noise_beside(const DpNoise *noise, const DpSharedDraw *shared)
{
	if (noise->own == 0)
		return dp_draw_draw_noise(noise);
	if (shared->noise->sigma == 0)
		elog(ERROR, "noise that is shared was not drawn");
	return dp_noise_beside_shared(dp_noise_discrete_gaussian(noise->own), shared->drawn,
								  dp_accounting_shared_multiple(noise), -shared->noise->grid, noise->own_bits);
}

DpInt128
dp_draw_to_grid(DpInt128 count, int grid)
{
	if (grid > 0)
		return dp_draw_round_shift(count, Min(grid, 126));
	return count * ((DpInt128) 1 << Min(-grid, 63));
}

int64
dp_draw_from_grid(DpInt128 units, const DpRelease *release)
{
	int			grid = release->noise[0].grid;

	if (grid < 0)
		units = dp_draw_round_shift(units, Min(-grid, 63));
	else if (grid > 0 && units != 0)
	{
		DpInt128	limit = ((DpInt128) 1 << 126) >> Min(grid, 126);

		units = Max(Min(units, limit), -limit) * ((DpInt128) 1 << Min(grid, 126));
	}
	return (int64) Max(Min(units, (DpInt128) PG_INT64_MAX), (DpInt128) PG_INT64_MIN);
}

void
dp_draw_read_exact(const DpRelease *release, Oid type, Datum value, bool isnull, DpInt128 *totals)
{
	memset(totals, 0, DP_MOMENTS_MOST * sizeof(DpInt128));
	if (isnull)
		return;
	if (type == INT8OID)
		totals[0] = DatumGetInt64(value);
	else
		dp_aggregate_read_totals(DatumGetByteaPP(value), dp_pricing_totals_of(release), totals);
}

int64
dp_draw_exact_count(const DpRelease *release, TupleTableSlot *exact)
{
	DpInt128	totals[DP_MOMENTS_MOST];
	int			column = release->column;

	dp_draw_read_exact(release, TupleDescAttr(exact->tts_tupleDescriptor, column)->atttypid,
					   exact->tts_values[column], exact->tts_isnull[column], totals);
	return (int64) Min(totals[0], (DpInt128) PG_INT64_MAX);
}

DpInt128
dp_draw_noisy_count(const DpRelease *release, DpInt128 count)
{
	return dp_draw_to_grid(count, release->noise[0].grid) + dp_draw_draw_noise(&release->noise[0]);
}

Datum
dp_draw_count_datum(Oid type, int64 count)
{
	DpInt128	totals[1] = {count};

	if (type == INT8OID)
		return Int64GetDatum(count);
	return PointerGetDatum(dp_aggregate_make_totals(1, totals));
}

void
dp_draw_add_to_each(const DpRelease *release, DpInt128 *totals)
{
	for (int i = 0; i < release->features; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (release->shift > 0)
			totals[i] = dp_draw_round_shift(totals[i], release->shift);
		totals[i] += dp_draw_draw_noise(&release->noise[0]);
	}
}

Datum
dp_draw_noisy_value(const DpRelease *release, Oid type, Datum value, bool isnull,
					const DpSharedDraw *shared, DpInt128 *units, bool *none)
{
	const DpKind *kind = dp_kind(release);

	*units = 0;
	*none = false;
	if (kind->draw == NULL)
		elog(ERROR, "unknown release kind %d", (int) kind->number);
	return kind->draw(release, type, value, isnull, shared, units, none);
}
