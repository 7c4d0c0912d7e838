/*
 * ladder.h
 *	  What units' totals add up to under each of several clamps, which are powers of
 *	  two times the first.
 *
 * Plain C: no server header.  A unit's total t stands on the first step whose clamp is not
 * below |t|.  Of each step so much is added up: the totals of its units, their number, and,
 * where totals may be negative, by how many more of them are positive than negative.  From
 * this follow, for every clamp, the sum of the clamped totals and the number of units beyond
 * it, exactly, though a unit adds to one step alone.
 */
#ifndef DP_AGGREGATE_LADDER_H
#define DP_AGGREGATE_LADDER_H

#include <stdbool.h>
#include <stdint.h>

/* Steps of a ladder, at most. */
#define DP_LADDER_MOST 48

/* Totals kept of each step, at most. */
#define DP_LADDER_WIDTH 3

typedef struct DpLadder
{
	int64_t		first;			/* the least clamp, in grid units, >= 1 */
	int32_t		steps;			/* number of clamps; 0: there is no ladder */
	int32_t		is_signed;		/* can totals be negative? */
} DpLadder;

/* Number of totals that a group has of a ladder. */
static inline int
dp_ladder_parts(const DpLadder *ladder)
{
	return ladder->steps * (ladder->is_signed ? 3 : 2);
}

/* The clamp of a step; the last is 2^62 at most. */
static inline int64_t
dp_ladder_clamp(const DpLadder *ladder, int step)
{
	return ladder->first << step;
}

/* The step that a total of this size, which is not beyond the last clamp, stands on. */
static inline int
dp_ladder_step(const DpLadder *ladder, uint64_t size)
{
	uint64_t	whole;

	if (size <= (uint64_t) ladder->first)
		return 0;
	whole = ladder->first == 1 ? size - 1 : (size - 1) / (uint64_t) ladder->first;
	return 64 - __builtin_clzll(whole);
}

/* Add a unit's total, clamped at the last step. */
static inline void
dp_ladder_add(const DpLadder *ladder, __int128 total, __int128 *parts)
{
	__int128	last = dp_ladder_clamp(ladder, ladder->steps - 1);
	__int128   *at;

	total = total < last ? total : last;
	total = total > -last ? total : -last;
	at = parts + dp_ladder_step(ladder, (uint64_t) (total < 0 ? -total : total)) * (ladder->is_signed ? 3 : 2);
	at[0] += total;
	at[1]++;
	if (ladder->is_signed)
		at[2] += total < 0 ? -1 : total > 0;
}

/*
 * The sum of the totals clamped at a step, and the number of units beyond its clamp.  A unit
 * more changes the sum by at most that clamp, and the number by 0 or 1, upwards.
 */
static inline __int128
dp_ladder_sum(const DpLadder *ladder, const __int128 *parts, int step, __int128 *beyond)
{
	int			width = ladder->is_signed ? 3 : 2;
	__int128	sum = 0;
	__int128	more = 0;

	*beyond = 0;
	for (int i = 0; i < ladder->steps; i++)
	{
		if (i <= step)
		{
			sum += parts[i * width];
			continue;
		}
		*beyond += parts[i * width + 1];
		more += parts[i * width + width - 1];
	}
	return sum + more * dp_ladder_clamp(ladder, step);
}

#endif							/* DP_AGGREGATE_LADDER_H */
