/*
 * draw_quantile.c
 *	  Drawing a quantile; see quantile.h.
 *
 * A summary has an entry for each point with rows; between them lie runs of
 * points without, all of one score.  Behind the last point is "none".  Scores are not below
 * zero: those of points are raised by the advantage that "none" has.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "aggregate/cells.h"
#include "noise/choice.h"
#include "pricing/block.h"
#include "draw/draw_quantile.h"

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
	uint128		none;			/* the score of none */
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
score(const Points *points, uint64 low, uint64 high)
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
		next = dp_cells_entry(&points->cells, points->entry, &weight);
	if (next > points->point)
	{
		choice->count = next - points->point;
		choice->score = score(points, points->below, points->below);
		points->point = next;
		return true;
	}
	choice->count = 1;
	choice->score = score(points, points->below, points->below + weight);
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

uint128
dp_query_raised_by(const DpQuantileRank *rank)
{
	return (uint128) rank->none << rank->none_bits;
}

uint128
dp_query_score_of_none(const DpQuantileRank *rank, uint128 total)
{
	return total * Max(rank->fraction, (UINT64CONST(1) << rank->fraction_bits) - rank->fraction);
}

int64
dp_query_draw_quantile(const DpRelease *release, Datum summary, bool isnull)
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
	points.raised = dp_query_raised_by(rank);
	points.none = dp_query_score_of_none(rank, points.cells.total);
	return (int64) dp_noise_exponential(&points.choices, noise->scale_num, noise->scale_den);
}
