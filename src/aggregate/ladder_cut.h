/* SPDX-License-Identifier: PostgreSQL */
/*
 * ladder_cut.h
 *	  How much the clamp that was taken of a ladder may cut, as noisy numbers of units tell.
 *
 * Plain C: no server header.  What is given is noisy already, so that nothing here bears on
 * privacy: it is about how far answers are off.
 */
#ifndef DP_AGGREGATE_LADDER_CUT_H
#define DP_AGGREGATE_LADDER_CUT_H

#include <stdbool.h>

#include "aggregate/ladder_choice.h"

/* Units of so many steps are kept: of the last one held, and of those below it. */
#define DP_LADDER_SEEN 4

/* What is known of the units of all groups whose clamp was chosen; numbers are in 2^-k, as noise has them. */
typedef struct DpLadderSeen
{
	int			step;			/* whose clamp was taken */
	int			held;			/* the last step that is held; -1: units are too few to tell */
	int64_t		units[DP_LADDER_SEEN];	/* noisy, from step held - 3 on; 0 where there is no such
										 * step */
	int64_t		above;			/* of the first step above both of these; likewise */
	double		cut;			/* the most of the units of steps up to the one held: a whole
								 * number of least clamps */
	int64_t		beyond;			/* noisy number of units in more groups than count; its own 2^-k */
} DpLadderSeen;

/* Numbers of a value that carries what is seen. */
#define DP_LADDER_SEEN_TOTALS 7

/* Put it into so many totals; and read it from them, of a ladder of so many steps: false if they are none. */
extern void dp_aggregate_ladder_put_seen(const DpLadderSeen *seen, __int128 *totals);
extern bool dp_aggregate_ladder_get_seen(DpLadderSeen *seen, int steps, const __int128 *totals);

/* Can it be of a ladder of so many steps? */
extern bool dp_aggregate_ladder_is_seen(const DpLadderSeen *seen, int steps);

/* See what these numbers of units tell of this step's clamp; a number beyond `firm` is no noise. */
extern void dp_aggregate_ladder_see(DpLadderSeen *seen, const DpLadderRule *rule, const double *units, int step,
									double firm, int grid);

/* How far noise moves numbers of units: one way, with the probabilities that a bound has for each. */
typedef struct DpLadderReach
{
	int			grid;			/* of numbers that are seen */
	double		above;			/* the number of units on the first step above; */
	double		below;			/* each of those that tell how fast numbers fall; */
	double		deviations;		/* and the sum over steps up to the one held, in standard
								 * deviations of */
	double		stddev;			/* the noise of each */
} DpLadderReach;

/* The most that is thought to be cut in all groups together, in least clamps; INFINITY if nothing tells. */
extern double dp_aggregate_ladder_most_cut(const DpLadderSeen *seen, int steps, const DpLadderReach *reach);

#endif							/* DP_AGGREGATE_LADDER_CUT_H */
