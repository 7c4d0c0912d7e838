/* SPDX-License-Identifier: PostgreSQL */
/*
 * interval.h
 *	  dp_interval(aggregate, level): where the aggregate would lie without noise.
 */
#ifndef DP_REWRITE_INTERVAL_H
#define DP_REWRITE_INTERVAL_H

#include "postgres.h"

#include "pricing/aggregate_args.h"
#include "pricing/block_rewrite.h"

/* An aggregate that an interval is asked of. */
typedef struct DpAskedInterval
{
	Aggref	   *aggref;
	const DpMeasure *measure;
	int			number;			/* of the release that answers it */
	Node	   *level;
} DpAskedInterval;

/* That of a mean, or another statistic of totals that tell how many rows they are of. */
extern Node *dp_rewrite_statistic_interval(DpBlockRewrite *rewrite, const DpAskedInterval *asked, DpReason **untold);

/* The same by a function of (totals bytea, estimate bytea, level float8), */
extern Node *dp_rewrite_interval_by(const char *function, DpBlockRewrite *rewrite, const DpAskedInterval *asked);

/* which reads its arguments by this: where the statistic lies, or false where there may be no rows. */
extern bool dp_rewrite_read_interval(FunctionCallInfo fcinfo, double *low, double *high);

/* The interval of an aggregate that is asked so, at a level that is good; NULL if there is none. */
extern Node *dp_rewrite_interval_of_asked(DpBlockRewrite *rewrite, const DpAskedInterval *asked);

/*
 * What a call of dp_interval on one of the block's aggregates
 * becomes, `level` being the rewritten second argument or NULL.
 */
extern Node *dp_rewrite_released_interval(DpBlockRewrite *rewrite, FuncExpr *call, Node *level,
										  DpReason **reason);

/* The level where none is asked. */
#define DP_DEFAULT_LEVEL 0.95

/* A level that is constant is checked before anything is charged. */
extern DpReason *dp_rewrite_check_level(Node *level, const DpStatement *statement);

/* The term (rewrite/term.h) of one of the block's aggregates; NULL with a reason if it has none. */
extern Node *dp_rewrite_released_term(DpBlockRewrite *rewrite, Aggref *aggref, DpReason **reason);

#endif							/* DP_REWRITE_INTERVAL_H */
