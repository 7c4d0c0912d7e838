/* SPDX-License-Identifier: PostgreSQL */
/*
 * quantile_levels.c
 *	  Which quantiles share levels, and what they are drawn with; see quantile_levels.h.
 */
#include "postgres.h"

#include <math.h>

#include "nodes/nodes.h"

#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/half_width.h"
#include "pricing/kind.h"
#include "pricing/quantile.h"
#include "pricing/quantile_levels.h"

/* Most bits: fewer where the scale is so many rows that there is no room for them. */
#define DP_SPLIT_BITS 13

/* Least bits of places. */
#define LEAST_BITS 8

/* Quantiles that share levels, by ascending fraction. */
typedef struct Sharers
{
	DpBlock    *block;
	int			releases;		/* of measures */
	uint64		unit;			/* what a unit weighs, at most */
	int			weight_bits;
	int			max_groups;
	int			bits;			/* of places */
	int			count;
	int		   *number;			/* of releases */
	uint64	   *fraction;		/* of each, times 2^DP_ASKED_BITS */
} Sharers;

/* Times 2^DP_ASKED_BITS. */
static uint64
asked_fraction(const DpRelease *release)
{
	return (uint64) release->rank.fraction << (DP_ASKED_BITS - release->rank.fraction_bits);
}

/* Can this release be drawn inside others? */
static bool
may_share(const DpRelease *release)
{
	return dp_kind(release)->is_rank && release->rank.offset == 0 && release->split.sharers == 0 &&
		release->rank.fraction > 0 && release->rank.fraction < (uint32) 1 << release->rank.fraction_bits;
}

/* Are these two of the same rows at the same points? */
static bool
alike(const DpMeasure *one, const DpMeasure *other)
{
	return one->release.epsilon == other->release.epsilon &&
		one->quantile->spec.grid == other->quantile->spec.grid &&
		one->quantile->spec.lower == other->quantile->spec.lower &&
		one->quantile->spec.upper == other->quantile->spec.upper &&
		one->quantile->spec.multiplier == other->quantile->spec.multiplier &&
		one->quantile->spec.max_rows == other->quantile->spec.max_rows &&
		one->quantile->spec.cells == other->quantile->spec.cells &&
		equal(one->value, other->value) && equal(one->aggref->aggfilter, other->aggref->aggfilter);
}

/* Enter a release in its place; of equal fractions the first alone. */
static void
enter(Sharers *sharers, int number)
{
	uint64		fraction = asked_fraction(&sharers->block->release[number]);
	int			place = sharers->count;

	for (int i = 0; i < sharers->count; i++)
		if (sharers->fraction[i] == fraction)
			return;
	for (; place > 0 && sharers->fraction[place - 1] > fraction; place--)
	{
		sharers->fraction[place] = sharers->fraction[place - 1];
		sharers->number[place] = sharers->number[place - 1];
	}
	sharers->fraction[place] = fraction;
	sharers->number[place] = number;
	sharers->count++;
}

/*
 * Calibrate the draw of the m-th between two others, or the ends; false if it cannot be.  The first
 * of all says whether there is anybody.
 */
static bool
calibrate(Sharers *sharers, int m, int lower, int upper, int level)
{
	DpRelease  *release = &sharers->block->release[sharers->number[m]];
	DpQuantileRank *rank = &release->rank;
	uint64		low = lower < 0 ? 0 : sharers->fraction[lower];
	uint64		high = upper < 0 ? UINT64CONST(1) << DP_ASKED_BITS : sharers->fraction[upper];
	long double ratio = (long double) (sharers->fraction[m] - low) / (high - low);
	uint64		whole;
	uint64		move;

	rank->fraction_bits = DP_SPLIT_FRACTION_BITS(sharers->bits);
	rank->fraction = (uint32) Min(Max(rintl(ldexpl(ratio, rank->fraction_bits)), 1), (1 << rank->fraction_bits) - 1);
	for (; rank->fraction % 2 == 0; rank->fraction_bits--)
		rank->fraction /= 2;
	whole = UINT64CONST(1) << rank->fraction_bits;
	move = Max(rank->fraction, whole - rank->fraction) << sharers->bits;
	release->split = (DpSplit) {
		.level = level,
		.bits = sharers->bits,
		.asked = (uint32) sharers->fraction[m],
		.lower = lower < 0 ? -1 : sharers->number[lower],
		.upper = upper < 0 ? -1 : sharers->number[upper]
	};
	if (sharers->unit > DP_MAX_SENSITIVITY / move ||
		dp_accounting_calibrate(&release->noise[0], DP_EXPONENTIAL, release->epsilon, 0, sharers->max_groups, 1,
								sharers->unit * move,
								-(rank->fraction_bits + sharers->weight_bits + sharers->bits)) != NULL)
		return false;
	rank->none = rank->none_bits = 0;
	if (level == 0)
		dp_pricing_set_none(release, move << sharers->weight_bits);
	return true;
}

/* Those from first to last - 1, which lie between two others. */
static bool
arrange(Sharers *sharers, int first, int last, int lower, int upper, int level)
{
	int			middle = first + (last - first) / 2;

	if (first >= last)
		return true;
	return calibrate(sharers, middle, lower, upper, level) &&
		arrange(sharers, first, middle, lower, middle, level + 1) &&
		arrange(sharers, middle + 1, last, middle, upper, level + 1);
}

/*
 * Say how many share each level, and which of them pays for it.  All have the same bounded range
 * but for rounding: the greatest is charged.
 */
static void
share_costs(Sharers *sharers, int levels)
{
	for (int level = 0; level < levels; level++)
	{
		DpRelease  *payer = NULL;
		int			count = 0;

		for (int i = 0; i < sharers->count; i++)
		{
			DpRelease  *release = &sharers->block->release[sharers->number[i]];

			if (release->split.level != level)
				continue;
			count++;
			if (payer == NULL ||
				dp_accounting_draw_epsilon(&release->noise[0]) > dp_accounting_draw_epsilon(&payer->noise[0]))
				payer = release;
		}
		for (int i = 0; i < sharers->count; i++)
		{
			DpRelease  *release = &sharers->block->release[sharers->number[i]];

			if (release->split.level != level)
				continue;
			release->split.sharers = count;
			release->split.payer = (int) (payer - sharers->block->release);
		}
	}
}

/* How many levels so many need: the least number with count < 2^levels. */
static int
levels_of(int count)
{
	int			levels = 0;

	while (count >> levels > 0)
		levels++;
	return levels;
}

/* What their ranks are off by, for so many draws to pay: the sum of all, at the same price in all. */
static double
error_for_price(const Sharers *sharers, int draws)
{
	double		sum = 0;

	for (int i = 0; i < sharers->count; i++)
		sum += dp_pricing_rank_error(sharers->block, &sharers->block->release[sharers->number[i]]).scale;
	return sum * draws;
}

/*
 * Arrange them, with places as fine as there is room for; or leave them as they are: where there is none,
 * and where they err more for their price one inside the other, as a few that are close do.
 */
static void
share(Sharers *sharers, int levels)
{
	DpBlock    *block = sharers->block;
	Size		size = sharers->releases * sizeof(DpRelease);
	DpRelease  *separate = memcpy(palloc(size), block->release, size);
	double		apart = error_for_price(sharers, sharers->count);

	for (sharers->bits = DP_SPLIT_BITS; sharers->bits >= LEAST_BITS; sharers->bits--)
	{
		if (arrange(sharers, 0, sharers->count, -1, -1, 0))
		{
			share_costs(sharers, levels);
			if (error_for_price(sharers, levels) < apart)
				return;
		}
		memcpy(block->release, separate, size);
	}
}

/* The releases from the i-th on that can share with it. */
static void
find_sharers(Sharers *sharers, const List *measures, int first)
{
	for (int i = first; i < list_length(measures); i++)
		if (may_share(&sharers->block->release[i]) && alike(list_nth(measures, first), list_nth(measures, i)))
			enter(sharers, i);
}

void
dp_pricing_share_levels(DpBlock *block, const List *measures, const DpContribution *contribution)
{
	int			count = list_length(measures);
	Sharers		sharers = {
		.block = block,
		.releases = count,
		.unit = contribution->row_is_unit ? 1 : (uint64) contribution->max_rows << DP_CELL_WEIGHT_BITS,
		.weight_bits = contribution->row_is_unit ? 0 : DP_CELL_WEIGHT_BITS,
		.max_groups = contribution->max_groups,
		.number = palloc(count * sizeof(int)),
		.fraction = palloc(count * sizeof(uint64))
	};

	for (int i = 0; i < count; i++)
	{
		int			levels;

		if (!may_share(&block->release[i]))
			continue;
		sharers.count = 0;
		find_sharers(&sharers, measures, i);
		levels = levels_of(sharers.count);
		if (levels < sharers.count)
			share(&sharers, levels);
	}
}
