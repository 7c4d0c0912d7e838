/*
 * clip_noise.h
 *	  What of an epsilon the choice of a clamp has, and what the totals clamped there; see
 *	  clipping.h.
 */
#ifndef DP_PRICING_CLIP_NOISE_H
#define DP_PRICING_CLIP_NOISE_H

#include "postgres.h"

#include "accounting/calibrate.h"

/* What is shown as the choice's part of an epsilon. */
extern double dp_query_clip_epsilon(DpMechanism mechanism, double epsilon);

/*
 * Calibrate what is added to the numbers of units on the steps of a ladder, or to totals whose clamp
 * is chosen, which are together for this epsilon.  NULL, or what is wrong (accounting/calibrate.h).
 */
extern const char *dp_query_clip_calibrate_choice(DpNoise *choice, DpMechanism mechanism, double epsilon,
												  double delta, int groups);
extern const char *dp_query_clip_calibrate_noise(DpNoise *noise, DpMechanism mechanism, double epsilon,
												 double delta, int groups, int parts, uint64 sensitivity,
												 int grid);

#endif							/* DP_PRICING_CLIP_NOISE_H */
