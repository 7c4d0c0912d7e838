/* SPDX-License-Identifier: PostgreSQL */
/*
 * draw_levels.c
 *	  Drawing quantiles one inside the other; see quantile_levels.h.
 *
 * Each point is 2^bits places, and an entry of weight w weighs w at each place of its point, in
 * units that many times smaller.  Where a quantile was drawn at place c, those below it are drawn
 * from places up to c, of the weight up to c; those above it from places c on, of the weight
 * beyond c.  So weights are divided, and nothing of a row counts on both sides.  For the first of all
 * there is one more alternative, behind the last place, "none": those below and above it are none, too.
 *
 * Places of one entry differ in score.  Many are put together as alternatives of the
 * least of their scores, and the one drawn is kept with probability exp(-(its score -
 * that) / scale), or all is drawn again: together that is the law of the scores.
 * Scores of those put together differ by no more than the scale and the least of them.
 * So draws in vain weigh no more than a few scales' worth of places next to the target,
 * and an entry takes a number of alternatives that grows with the logarithm of its
 * weight.  Scores are raised as those of points are.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "aggregate/cells.h"
#include "aggregate/exact.h"
#include "draw/draw_levels.h"
#include "noise/choice.h"
#include "noise/coins.h"
#include "noise/sampler.h"
#include "pricing/block.h"
#include "pricing/quantile_levels.h"

static uint128 score_of_none(const DpQuantileRank *rank, uint128 total);
static uint128 raised_by(const DpQuantileRank *rank);

/*
 * Drawing a quantile; see quantile.h.
 *
 * A summary has an entry for each point with rows; between them lie runs of
 * points without, all of one score_between.  Behind the last point is "none".  Scores are not below
 * zero: those of points are raised by the advantage that "none" has.
 */

/* Entries between looks for a cancel. */
#define STRIDE 65536

/* The points of a group, as alternatives. */
typedef struct Points
{
	DpChoices	choices;		/* first */
	DpCells		cells;
	int			fraction_bits;
	int128		target;			/* the rank aimed at */
	uint128		raised;			/* what points' scores have been raised by */
	uint128		none;			/* the score_between of none */
	uint32		all;			/* points */
	uint32		point;			/* the next one */
	uint32		entry;			/* the next one */
	uint64		below;			/* weight of the points before */
} Points;

static void
rewind_points(DpChoices *choices)
{
	Points	   *points = (Points *) choices;

	points->point = points->entry = 0;
	points->below = 0;
}

/* The distance of the target from the ranks between two weights. */
static uint128
score_between(const Points *points, uint64 low, uint64 high)
{
	int128		above = ((int128) low << points->fraction_bits) - points->target;
	int128		below = points->target - ((int128) high << points->fraction_bits);

	return points->raised + (uint128) Max(Max(above, below), 0);
}

/* A point with rows, or those without up to the next, or to the last; then none. */
static bool
next_points(DpChoices *choices, DpChoice *choice)
{
	Points	   *points = (Points *) choices;
	uint64		weight = 0;
	uint32		next = points->all;

	if (points->point > points->all)
		return false;
	if (points->point == points->all)
	{
		*choice = (DpChoice) {.score = points->none, .count = 1};
		points->point++;
		return true;
	}
	if (points->entry % STRIDE == 0)
		CHECK_FOR_INTERRUPTS();
	if (points->entry < points->cells.entries)
		next = dp_aggregate_cells_entry(&points->cells, points->entry, &weight);
	if (next > points->point)
	{
		choice->count = next - points->point;
		choice->score = score_between(points, points->below, points->below);
		points->point = next;
		return true;
	}
	choice->count = 1;
	choice->score = score_between(points, points->below, points->below + weight);
	points->below += weight;
	points->point++;
	points->entry++;
	return true;
}

/*
 * The rank aimed at, given the weight of all rows.  The extremes aim so many rows inside, and no
 * further than the median.
 */
static int128
target_of(const DpQuantileRank *rank, uint64 total)
{
	int128		extreme = (int128) total * rank->fraction;
	int128		median = ((int128) total << rank->fraction_bits) / 2;

	if (rank->offset > 0)
		return Min((int128) rank->offset, median);
	if (rank->offset < 0)
		return Max(extreme + rank->offset, median);
	return extreme;
}

/* What scores of points are raised by, so that "none" may be better, whose score is of so much weight. */
static uint128
raised_by(const DpQuantileRank *rank)
{
	return (uint128) rank->none << rank->none_bits;
}

/* What scores of points are raised by, so that "none" may be better, whose score is of so much weight. */
static uint128
score_of_none(const DpQuantileRank *rank, uint128 total)
{
	return total * Max(rank->fraction, (UINT64CONST(1) << rank->fraction_bits) - rank->fraction);
}

int64
dp_draw_draw_quantile(const DpRelease *release, Datum summary, bool isnull)
{
	const DpQuantileRank *rank = &release->rank;
	const DpNoise *noise = &release->noise[0];
	Points		points = {
		.choices = {rewind_points, next_points},
		.fraction_bits = rank->fraction_bits,
		.all = rank->cells
	};

	if (!isnull)
		dp_aggregate_read_cells(DatumGetByteaPP(summary), &points.cells);
	if (points.cells.entries > 0 && points.cells.header.cells != rank->cells)
		elog(ERROR, "summary of a quantile is not of its points");
	points.target = target_of(rank, points.cells.total);
	points.raised = raised_by(rank);
	points.none = score_of_none(rank, points.cells.total);
	return (int64) dp_noise_exponential(&points.choices, noise->scale_num, noise->scale_den);
}

/* In place of a place. */
#define NONE PG_UINT64_MAX

/* Places to draw from, as alternatives. */
typedef struct Places
{
	DpChoices	choices;		/* first */
	DpCells		cells;
	int			fraction_bits;
	int			bits;			/* of places of a point */
	uint64		splits;			/* 2^bits */
	uint128		scale;			/* whole units of score */
	uint128		target;			/* the rank aimed at, of the weight that counts */
	uint64		first;			/* places drawn from */
	uint64		last;
	uint64		counted_from;	/* place from which on weight counts */
	uint64		next;			/* place */
	uint32		entry;			/* the first that may reach it */
	uint32		read;			/* alternatives */
	uint128		below;			/* weight before */
	uint128		raised;			/* what scores of places have been raised by */
	uint128		none;			/* the score of none */
	bool		none_is_next;	/* behind the last place, if at all */
} Places;

static void
rewind_places(DpChoices *choices)
{
	Places	   *places = (Places *) choices;

	places->next = places->first;
	places->entry = places->read = 0;
	places->below = 0;
	places->none_is_next = places->raised > 0;
}

/* The distance of the target from the ranks between two weights. */
static uint128
score(const Places *places, uint128 low, uint128 high)
{
	low <<= places->fraction_bits;
	high <<= places->fraction_bits;
	if (low > places->target)
		return places->raised + low - places->target;
	return places->raised + (high < places->target ? places->target - high : 0);
}

/* How many places of an entry of this weight are put together from here on. */
static uint64
places_together(const Places *places, uint64 weight)
{
	uint128		here = places->below << places->fraction_bits;
	uint128		reach = here >= places->target ? places->scale + (here - places->target)
		: (places->scale + (places->target - here)) / 2;
	uint128		together = reach / ((uint128) weight << places->fraction_bits);

	return (uint64) Max(Min(together, places->splits), 1);
}

/* Go to the entry that the next place is in or before; its weight and first place. */
static bool
find_entry(Places *places, uint64 *weight, uint64 *start)
{
	for (; places->entry < places->cells.entries; places->entry++)
	{
		*start = (uint64) dp_aggregate_cells_entry(&places->cells, places->entry, weight) << places->bits;
		if (*start + places->splits > places->next)
			return true;
	}
	return false;
}

/* The alternative "none", behind the last place. */
static bool
next_none(Places *places, DpChoice *choice)
{
	if (!places->none_is_next)
		return false;
	*choice = (DpChoice) {.score = places->none, .count = 1};
	places->none_is_next = false;
	return true;
}

/*
 * Places without weight up to the next that has any, or some of one entry; then none.  Weight
 * that does not count is no weight.
 */
static bool
next_places(DpChoices *choices, DpChoice *choice)
{
	Places	   *places = (Places *) choices;
	uint64		weight = 0;
	uint64		start = 0;
	uint64		end = places->last + 1;

	if (places->next > places->last)
		return next_none(places, choice);
	if (places->read++ % STRIDE == 0)
		CHECK_FOR_INTERRUPTS();
	if (!find_entry(places, &weight, &start))
		weight = 0;
	else if (start > places->next)
	{
		end = Min(end, start);
		weight = 0;
	}
	else if (places->next < places->counted_from)
	{
		end = Min(end, Min(start + places->splits, places->counted_from));
		weight = 0;
	}
	else
		end = Min(end, Min(start + places->splits, places->next + places_together(places, weight)));
	choice->count = end - places->next;
	choice->score = score(places, places->below, places->below + (uint128) weight * choice->count);
	places->below += (uint128) weight * choice->count;
	places->next = end;
	return true;
}

/* The weight that counts of all places. */
static uint128
total_weight(Places *places)
{
	DpChoice	choice;

	rewind_places(&places->choices);
	while (next_places(&places->choices, &choice))
		;
	return places->below;
}

/*
 * Keep a place with probability exp(-(its score - that of those it was put together with) /
 * scale).  All alternatives are read.
 */
static bool
keep(Places *places, uint64 number, const DpNoise *noise)
{
	DpChoice	choice;
	uint128		before = 0;
	uint128		excess = 0;

	rewind_places(&places->choices);
	while (next_places(&places->choices, &choice))
	{
		if (number < choice.count)
		{
			uint128		weight = (places->below - before) / choice.count;
			uint128		low = before + weight * number;

			excess = score(places, low, low + weight) - choice.score;
			number = PG_UINT64_MAX;
		}
		else if (number != PG_UINT64_MAX)
			number -= choice.count;
		before = places->below;
	}
	excess *= noise->scale_den;
	return dp_noise_bernoulli_exp_sum((uint64) Min(excess / noise->scale_num, PG_UINT64_MAX),
									  (uint64) (excess % noise->scale_num), noise->scale_num);
}

/* Draw a quantile from the places between those of others, or none, if there are no others. */
static uint64
draw_between(const DpRelease *release, const uint64 *place, const bytea *summary)
{
	const DpNoise *noise = &release->noise[0];
	const DpSplit *split = &release->split;
	Places		places = {
		.choices = {rewind_places, next_places},
		.fraction_bits = release->rank.fraction_bits,
		.bits = split->bits,
		.splits = UINT64CONST(1) << split->bits,
		.scale = noise->scale_num / noise->scale_den,
		.first = split->lower < 0 ? 0 : place[split->lower],
		.last = split->upper < 0 ? ((uint64) release->rank.cells << split->bits) - 1 : place[split->upper],
		.counted_from = split->lower < 0 ? 0 : place[split->lower] + 1,
		.raised = raised_by(&release->rank)
	};
	uint128		total;
	uint64		number;

	if (summary)
		dp_aggregate_read_cells(summary, &places.cells);
	if (places.cells.entries > 0 && places.cells.header.cells != release->rank.cells)
		elog(ERROR, "summary of a quantile is not of its points");
	total = total_weight(&places);
	places.target = total * release->rank.fraction;
	places.none = score_of_none(&release->rank, total);
	do
	{
		number = dp_noise_exponential(&places.choices, noise->scale_num, noise->scale_den);
		if (number > places.last - places.first)
			return NONE;
	} while (!keep(&places, number, noise));
	return places.first + number;
}

/* Is one of those that a quantile lies between none? */
static bool
between_none(const DpSplit *split, const uint64 *place)
{
	return (split->lower >= 0 && place[split->lower] == NONE) || (split->upper >= 0 && place[split->upper] == NONE);
}

/* Draw the i-th release, whose summary is in the exact row of a group, if there is one. */
static uint64
draw_release(const DpRelease *release, const uint64 *place, TupleTableSlot *exact)
{
	int			column = release->column;

	if (between_none(&release->split, place))
		return NONE;
	if (exact == NULL || exact->tts_isnull[column])
		return draw_between(release, place, NULL);
	return draw_between(release, place, (bytea *) DatumGetByteaPP(exact->tts_values[column]));
}

uint64 *
dp_draw_draw_levels(const DpBlock *block, TupleTableSlot *exact)
{
	uint64	   *place = palloc0(block->nreleases * sizeof(uint64));
	int			levels = 0;

	for (int i = 0; i < block->nreleases; i++)
		if (block->release[i].split.sharers > 0)
			levels = Max(levels, block->release[i].split.level + 1);
	for (int level = 0; level < levels; level++)
		for (int i = 0; i < block->nreleases; i++)
			if (block->release[i].split.sharers > 0 && block->release[i].split.level == level)
				place[i] = draw_release(&block->release[i], place, exact);
	return place;
}

Datum
dp_draw_point_datum(const DpRelease *release, uint64 place, bool *none)
{
	DpInt128	totals[1] = {place >> release->split.bits};

	*none = place == NONE;
	return PointerGetDatum(dp_aggregate_make_totals(1, totals));
}
