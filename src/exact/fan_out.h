/* SPDX-License-Identifier: PostgreSQL */
/*
 * fan_out.h
 *	  Joins that can make several rows of one, and how many at most.
 */
#ifndef DP_EXACT_FAN_OUT_H
#define DP_EXACT_FAN_OUT_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/*
 * Have every item of FROM that multiplies rows do so by no more than its share of
 * dp_agg.max_join_rows, in place.  Sets how many rows one of the base can become, and in
 * *checks queries of public tables, each of which has a row if its table would make more.
 * Returns NULL, or a reason if public rows that were read already would.
 */
extern DpReason *dp_exact_limit_fan_outs(DpBlockRewrite *rewrite, int location, int *rows, List **checks);

#endif							/* DP_EXACT_FAN_OUT_H */
