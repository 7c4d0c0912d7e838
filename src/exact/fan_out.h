/* SPDX-License-Identifier: PostgreSQL */
/*
 * fan_out.h
 *	  Joins that can make several rows of one, and how many at most.
 */
#ifndef DP_EXACT_FAN_OUT_H
#define DP_EXACT_FAN_OUT_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/* How many rows a join may make of one. */
typedef struct DpJoinLimit
{
	int			rows;			/* by all items that multiply, */
	int			each;			/* and by each */
	bool		lowered;		/* is that less than what is declared or set? */
	int			most;			/* that the work of expressions would allow */
	char	   *names;			/* of the items that multiply, or NULL */
	char	   *ways;			/* to have them multiply less: a hint */
} DpJoinLimit;

/*
 * Have every item of FROM that multiplies rows do so by no more than its share of
 * dp_agg.max_join_rows, in place.  Returns queries of public tables, each of which has a row if
 * its table would make more.
 */
extern List *dp_exact_limit_fan_outs(DpBlockRewrite *rewrite);

/*
 * Limit the work that a row makes (work_limit.h), with all that a join makes of it.  Where that is too much, fewer rows are
 * joined, in *exact and *checks, as many as the work allows, but two of each item at least.  Returns a reason if
 * that is too much as well, or if public rows that were read already would make more.
 */
extern DpReason *dp_exact_limit_joined_work(DpBlockRewrite *rewrite, Query **exact, List **checks, int location,
											DpJoinLimit *limit, Size *longest);

/* A hint: these ways, and to set max_join_rows to more if that helps. */
extern char *dp_exact_fan_out_hint(const char *ways, int rows, int most);

#endif							/* DP_EXACT_FAN_OUT_H */
