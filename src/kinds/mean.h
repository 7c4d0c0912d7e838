/* SPDX-License-Identifier: PostgreSQL */
/*
 * mean.h
 *	  What kinds have in common whose releases are means.
 */
#ifndef DP_KINDS_MEAN_H
#define DP_KINDS_MEAN_H

#include "postgres.h"

#include "from/contribution.h"
#include "pricing/aggregate_args.h"
#include "pricing/kind.h"
#include "tree/reason.h"

/*
 * What is cut of a count or sum is lacking.  A mean is off by so much of it as the rows cut differ from
 * others: by one part of so many of the bounds, it is thought.
 */
#define DP_MEAN_NOISE 8

/*
 * Laplace: the two complementary totals of doc/accounting, both with noise for
 * the full width; one term is charged.  Gaussian: the sum about the midpoint,
 * kept in half grid units so that the midpoint is an integer, and the count.
 */
extern DpReason *dp_kinds_calibrate_mean(DpMeasure *measure, const DpContribution *contribution);

/*
 * The noise of a mean times its count, as a factor on that of the first noise
 * term: at its largest, which is where the mean lies at a bound.  Laplace: only
 * one of the two totals then adds to it; Gaussian: the noise of the count adds
 * as much as that of the sum.
 */
extern double dp_kinds_mean_factor(const DpRelease *release);

/* With Gaussian noise the second total counts rows by itself; else both tell them together. */
extern DpToldRows dp_kinds_mean_told_rows(const DpRelease *release);

/* The exact total of values within the measure's bounds. */
extern Node *dp_kinds_mean_exact(DpBlockRewrite *rewrite, const DpMeasure *measure);
extern void dp_kinds_mean_ask(const DpMeasure *measure, DpUnitsAsk *ask, Node **value);

/* Its two totals, with noise. */
extern Datum dp_kinds_mean_draw(const DpRelease *release, Oid type, Datum value, bool isnull, const DpSharedDraw *shared,
								DpInt128 *units, bool *none);

/*
 * The noisy totals of a mean, as of one whose clamp is given, on grids that are finer by the clamp:
 * their ratio is the same.
 */
extern Datum dp_kinds_mean_draw_clamped(const DpRelease *release, const DpInt128 *parts, const DpLadderSeen *seen);

/* The mean from a noisy pair of totals, within the bounds, as a double. */
extern Node *dp_kinds_convert_mean(const DpMeasure *measure, Node *totals);

/* Known facts of these totals. */
extern void dp_kinds_mean_estimate(const DpMeasure *measure, const Aggref *aggref, DpEstimate *estimate);

#endif							/* DP_KINDS_MEAN_H */
