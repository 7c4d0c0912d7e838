/* SPDX-License-Identifier: PostgreSQL */
/*
 * clamped_around.h
 *	  A count or sum whose clamp was chosen, as an interval sees it: its noise, and what the clamp may cut.
 */
#ifndef DP_REWRITE_CLAMPED_AROUND_H
#define DP_REWRITE_CLAMPED_AROUND_H

#include "postgres.h"

#include "aggregate/ladder_cut.h"
#include "rewrite/interval_range.h"

/* A bytea constant in plans.  The noise is that of the first clamp. */
typedef struct DpClampedAround
{
	int32		vl_len_;		/* varlena header */
	int32		integral;
	DpSpread	spread;
	DpSpread	choice;			/* noise of numbers of units on each of */
	int32		steps;			/* so many steps */
	int32		both_ways;		/* may totals be negative? */
	double		least_clamp;
	DpSpread	classes;		/* noise of numbers of units in more groups than count, */
	int32		more_classes;	/* the sum of so many; 0: they count in all */
} DpClampedAround;

/* Can there be such noise? */
extern bool dp_rewrite_is_sane_clamped_around(const DpClampedAround *around);

/* Read one, and the totals of a group whose clamp was chosen: what is seen of it; 22023 for bytes that hold none. */
extern void dp_rewrite_read_clamped_around(const bytea *value, DpClampedAround *around);
extern void dp_rewrite_read_seen(const bytea *totals, const DpClampedAround *around, DpLadderSeen *seen);

/* The noise of the total at the step that was taken. */
extern DpAround dp_rewrite_around_of_step(const DpClampedAround *around, const DpLadderSeen *seen);

/* The most that is thought to be missing of a total, but for probability `miss`: cut by the clamp, and by max_groups. */
extern double dp_rewrite_most_missing(const DpClampedAround *around, const DpLadderSeen *seen, double miss);

#endif							/* DP_REWRITE_CLAMPED_AROUND_H */
