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

#include "aggregate/exact.h"
#include "aggregate/moments.h"
#include "draw/add_noise.h"
#include "draw/draw_levels.h"
#include "models/layout.h"
#include "noise/sampler.h"
#include "pricing/block.h"

DpInt128
dp_draw_draw_noise(const DpNoise *noise)
{
	return noise->mechanism == DP_GAUSSIAN
		? dp_noise_discrete_gaussian(noise->sigma)
		: dp_noise_discrete_laplace(noise->scale_num, noise->scale_den);
}

DpInt128
dp_draw_round_shift(DpInt128 value, int shift)
{
	return (value + ((DpInt128) 1 << (shift - 1))) >> shift;
}

/* A count in grid units. */
static DpInt128
to_grid(DpInt128 count, int grid)
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

/* The exact value of a release, from its column: DP_MOMENTS_MOST totals at most. */
static void
read_exact(const DpRelease *release, Oid type, Datum value, bool isnull, DpInt128 *totals)
{
	memset(totals, 0, DP_MOMENTS_MOST * sizeof(DpInt128));
	if (isnull)
		return;
	if (type == INT8OID)
		totals[0] = DatumGetInt64(value);
	else
		dp_aggregate_read_totals(DatumGetByteaPP(value),
								 release->kind == DP_RELEASE_MOMENTS ? release->features :
								 release->kind == DP_RELEASE_AVG ? 2 : 1, totals);
}

/*
 * The two totals an average releases, from S = sum of (x - lower) and the
 * number of rows n.  Laplace: S and n * width - S.  Gaussian: the sum about the
 * midpoint in half units, 2 S - n * width, and n on its own grid.
 */
static void
split_average(const DpRelease *release, DpInt128 *totals)
{
	DpInt128	sum = totals[0];
	DpInt128	rows = totals[1];

	if (release->noise[0].mechanism == DP_LAPLACE)
		totals[1] = rows * release->width - sum;
	else
	{
		totals[0] = 2 * sum - rows * release->width;
		totals[1] = to_grid(rows, release->noise[1].grid);
	}
}

int64
dp_draw_exact_count(const DpRelease *release, TupleTableSlot *exact)
{
	DpInt128	totals[DP_MOMENTS_MOST];
	int			column = release->column;

	read_exact(release, TupleDescAttr(exact->tts_tupleDescriptor, column)->atttypid,
			   exact->tts_values[column], exact->tts_isnull[column], totals);
	return (int64) Min(totals[0], (DpInt128) PG_INT64_MAX);
}

DpInt128
dp_draw_noisy_count(const DpRelease *release, DpInt128 count)
{
	return to_grid(count, release->noise[0].grid) + dp_draw_draw_noise(&release->noise[0]);
}

Datum
dp_draw_count_datum(Oid type, int64 count)
{
	DpInt128	totals[1] = {count};

	if (type == INT8OID)
		return Int64GetDatum(count);
	return PointerGetDatum(dp_aggregate_make_totals(1, totals));
}

/* Add noise to totals, in units of 2^shift of them. */
static void
add_to_each(const DpRelease *release, DpInt128 *totals)
{
	for (int i = 0; i < release->features; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (release->shift > 0)
			totals[i] = dp_draw_round_shift(totals[i], release->shift);
		totals[i] += dp_draw_draw_noise(&release->noise[0]);
	}
}

/* The noisy totals of a model, of which there may be many. */
static Datum
noisy_model(const DpRelease *release, Datum value, bool isnull)
{
	DpInt128	totals[DP_MODEL_MOST_TOTALS] = {0};

	if (!isnull)
		dp_aggregate_read_totals(DatumGetByteaPP(value), release->features, totals);
	add_to_each(release, totals);
	return PointerGetDatum(dp_aggregate_make_totals(release->features, totals));
}

Datum
dp_draw_noisy_value(const DpRelease *release, Oid type, Datum value, bool isnull,
					DpInt128 *units, bool *none)
{
	DpInt128	totals[DP_MOMENTS_MOST];

	*units = 0;
	*none = false;
	if (release->kind == DP_RELEASE_QUANTILE)
	{
		totals[0] = dp_draw_draw_quantile(release, value, isnull);
		*none = totals[0] == release->rank.cells;
		return PointerGetDatum(dp_aggregate_make_totals(1, totals));
	}
	if (release->kind == DP_RELEASE_MODEL)
		return noisy_model(release, value, isnull);
	if (release->kind == DP_RELEASE_CLASSES)
	{
		totals[0] = release->chosen;
		return PointerGetDatum(dp_aggregate_make_totals(1, totals));
	}
	read_exact(release, type, value, isnull, totals);
	switch (release->kind)
	{
		case DP_RELEASE_COUNT:
			*units = dp_draw_noisy_count(release, totals[0]);
			return dp_draw_count_datum(type, dp_draw_from_grid(*units, release));
		case DP_RELEASE_SUM:
			totals[0] += dp_draw_draw_noise(&release->noise[0]);
			return PointerGetDatum(dp_aggregate_make_totals(1, totals));
		case DP_RELEASE_AVG:
			split_average(release, totals);
			totals[0] += dp_draw_draw_noise(&release->noise[0]);
			totals[1] += dp_draw_draw_noise(&release->noise[1]);
			*units = totals[1] + (release->noise[0].mechanism == DP_LAPLACE ? totals[0] : 0);
			return PointerGetDatum(dp_aggregate_make_totals(2, totals));
		case DP_RELEASE_QUANTILE:
		case DP_RELEASE_MODEL:
		case DP_RELEASE_PASSES:
		case DP_RELEASE_CLASSES:
		case DP_RELEASE_LOSSES:
		case DP_RELEASE_TABLES:
			break;
		case DP_RELEASE_MOMENTS:
			add_to_each(release, totals);
			return PointerGetDatum(dp_aggregate_make_totals(release->features, totals));
	}
	elog(ERROR, "unknown release kind %d", (int) release->kind);
}
