/* SPDX-License-Identifier: PostgreSQL */
/*
 * interval_range.h
 *	  What intervals of all aggregates are made with.
 */
#ifndef DP_REWRITE_INTERVAL_RANGE_H
#define DP_REWRITE_INTERVAL_RANGE_H

#include "postgres.h"

#include "pricing/aggregate_args.h"

/*
 * The confidence level in an argument, from 0; false if it is none.  Constants are looked at before the charge, and
 * of released values there is no interval then: what is paid for is answered.
 */
extern bool dp_rewrite_read_level(FunctionCallInfo fcinfo, int n, double *level);

/* The noise of a count or sum, as part of bytea constants in plans. */
typedef struct DpSpread
{
	DpNoise		noise;			/* its grid is what the number is rounded to */
	double		stddev;			/* of several such noises, by which it moves; 0: of the one above */
	double		slack;			/* and what it may be off besides */
} DpSpread;

/* The noise of a count or sum, as a bytea constant in plans. */
typedef struct DpAround
{
	int32		vl_len_;		/* varlena header */
	int32		integral;		/* is the truth a whole number? */
	DpSpread	spread;
	double		threshold;		/* -INFINITY: answered in any case */
} DpAround;

/* Can there be such noise? */
extern bool dp_rewrite_is_sane_spread(const DpSpread *spread);

/* The noise of a measure that this release answers; where its clamp is chosen, that of the greatest. */
extern void dp_rewrite_set_spread(DpSpread *spread, const DpRelease *release, const DpMeasure *measure);

/* How far it may move the number, with so much probability; before rounding, but for a grid above 1. */
extern double dp_rewrite_spread_width(const DpSpread *spread, double probability);

/* Read a DpAround; 22023 for bytes that hold none. */
extern void dp_rewrite_read_around(const bytea *value, DpAround *around);

/* How far the value may be from the truth, with so much probability. */
extern double dp_rewrite_around_width(const DpAround *around, double probability);

/* A closed range of numerics, without an end that is not known; and a number as one. */
extern Datum dp_rewrite_range_of(Datum low, bool low_known, Datum high, bool high_known);
extern Datum dp_rewrite_numeric_of(double value);

/* The same of numbers, without an end where that is infinite. */
extern Datum dp_rewrite_make_range(double low, double high);

/*
 * Least value of the i-th release of a block with which its group is answered;
 * -INFINITY: any.
 */
extern double dp_rewrite_selects_by(const DpBlock *block, int i);

#endif							/* DP_REWRITE_INTERVAL_RANGE_H */
