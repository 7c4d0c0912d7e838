/* SPDX-License-Identifier: PostgreSQL */
/*
 * ladder.h
 *	  What units' totals add up to under each of several clamps, which are powers of
 *	  two times the first.
 *
 * Plain C: no server header.  A unit's total t stands on the first step whose clamp is
 * not below |t|.  For each step three numbers are added up: the totals of its units,
 * their number, and, where totals may be negative, how many more of them are positive
 * than negative.  From this follow, for every clamp, the sum of the clamped totals and
 * the number of units beyond it, exactly, though a unit adds to one step alone.
 *
 * For means the clamps apply to units' rows: a unit with more is scaled down to so many
 * rows.  Its scaled sum is added up for every step below its own.
 */
#ifndef DP_AGGREGATE_LADDER_H
#define DP_AGGREGATE_LADDER_H

#include "aggregate/scale.h"

/* Steps of a ladder, at most. */
#define DP_LADDER_MOST 48

typedef enum DpLadderKind
{
	DP_LADDER_POSITIVE,			/* of totals, none negative */
	DP_LADDER_SIGNED,			/* of totals */
	DP_LADDER_MEAN				/* of rows, with the sum of their values */
} DpLadderKind;

typedef struct DpLadder
{
	int64_t		first;			/* the least clamp, in grid units or rows, >= 1 */
	int32_t		steps;			/* number of clamps; 0: there is no ladder */
	int32_t		kind;			/* DpLadderKind */
} DpLadder;

/* Totals kept of each step, at most. */
#define DP_LADDER_WIDTH 4

static inline int
dp_aggregate_ladder_width(const DpLadder *ladder)
{
	return ladder->kind == DP_LADDER_MEAN ? 4 : ladder->kind == DP_LADDER_SIGNED ? 3 : 2;
}

/* Number of totals that a group has of a ladder. */
static inline int
dp_aggregate_ladder_parts(const DpLadder *ladder)
{
	return ladder->steps * dp_aggregate_ladder_width(ladder);
}

/* The clamp of a step; the last is 2^62 at most. */
static inline int64_t
dp_aggregate_ladder_clamp(const DpLadder *ladder, int step)
{
	return ladder->first << step;
}

/* The step that a total of this size, which is not beyond the last clamp, stands on. */
static inline int
dp_aggregate_ladder_step(const DpLadder *ladder, uint64_t size)
{
	uint64_t	whole;

	if (size <= (uint64_t) ladder->first)
		return 0;
	whole = ladder->first == 1 ? size - 1 : (size - 1) / (uint64_t) ladder->first;
	return 64 - __builtin_clzll(whole);
}

/* Add a unit's total, clamped at the last step: its sum, number, and sign. */
static inline void
dp_aggregate_ladder_add(const DpLadder *ladder, __int128 total, __int128 *parts)
{
	__int128	last = dp_aggregate_ladder_clamp(ladder, ladder->steps - 1);
	__int128   *at;

	total = total < last ? total : last;
	total = total > -last ? total : -last;
	at = parts + dp_aggregate_ladder_step(ladder, (uint64_t) (total < 0 ? -total : total)) * dp_aggregate_ladder_width(ladder);
	at[0] += total;
	at[1]++;
	if (ladder->kind == DP_LADDER_SIGNED)
		at[2] += total < 0 ? -1 : total > 0;
}

/* Add a unit of so many rows, at least 1, with this sum: sum, number, rows, and scaled sums of units beyond. */
static inline void
dp_aggregate_ladder_add_mean(const DpLadder *ladder, unsigned __int128 sum, uint64_t rows, __int128 *parts)
{
	uint64_t	last = (uint64_t) dp_aggregate_ladder_clamp(ladder, ladder->steps - 1);
	uint64_t	counted = rows < last ? rows : last;
	int			step = dp_aggregate_ladder_step(ladder, counted);
	__int128   *at = parts + step * DP_LADDER_WIDTH;

	at[0] += dp_aggregate_scale_down(sum, counted, rows);
	at[1]++;
	at[2] += counted;
	for (int i = 0; i < step; i++)
		parts[i * DP_LADDER_WIDTH + 3] +=
			dp_aggregate_scale_down(sum, (uint64_t) dp_aggregate_ladder_clamp(ladder, i), rows);
}

/* The number of units on a step.  A unit more adds 1 to that of one step. */
static inline __int128
dp_aggregate_ladder_units(const DpLadder *ladder, const __int128 *parts, int step)
{
	return parts[step * dp_aggregate_ladder_width(ladder) + 1];
}

/* The number of units beyond the clamp of a step. */
static inline __int128
dp_aggregate_ladder_beyond(const DpLadder *ladder, const __int128 *parts, int step)
{
	__int128	units = 0;

	for (int i = step + 1; i < ladder->steps; i++)
		units += dp_aggregate_ladder_units(ladder, parts, i);
	return units;
}

/* The sum of the totals clamped at a step.  A unit more changes it by at most that clamp. */
static inline __int128
dp_aggregate_ladder_sum(const DpLadder *ladder, const __int128 *parts, int step)
{
	int			width = dp_aggregate_ladder_width(ladder);
	__int128	sum = 0;
	__int128	more = 0;

	for (int i = 0; i < ladder->steps; i++)
		if (i <= step)
			sum += parts[i * width];
		else
			more += parts[i * width + width - 1];
	return sum + more * dp_aggregate_ladder_clamp(ladder, step);
}

/*
 * The sum and number of rows, of units scaled down to the clamp of a step.  A unit more adds to
 * the rows at most that clamp, and to the sum between 0 and the width of a row times as much as
 * to the rows.
 */
static inline __int128
dp_aggregate_ladder_mean(const DpLadder *ladder, const __int128 *parts, int step, __int128 *rows)
{
	__int128	sum = parts[step * DP_LADDER_WIDTH + 3];

	*rows = dp_aggregate_ladder_beyond(ladder, parts, step) * dp_aggregate_ladder_clamp(ladder, step);
	for (int i = 0; i <= step; i++)
	{
		sum += parts[i * DP_LADDER_WIDTH];
		*rows += parts[i * DP_LADDER_WIDTH + 2];
	}
	return sum;
}

#endif							/* DP_AGGREGATE_LADDER_H */
