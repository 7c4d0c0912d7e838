/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_count.h
 *	  Counts about kept answers, in shared memory: what replays are not in the tables yet,
 *	  and how much memory the answers of a budget take.
 *
 * Both are lost when the server stops: of replays then some are not counted; how much
 * memory answers take is added up anew.
 */
#ifndef DP_BUDGET_QUEUE_KEPT_COUNT_H
#define DP_BUDGET_QUEUE_KEPT_COUNT_H

#include "postgres.h"

#include "budget/rows/kept_columns.h"

/* So many of each; if there are more, those counted last are not. */
#define DP_KEPT_COUNTS 256

/* Replays of an answer. */
typedef struct DpReplays
{
	Oid			database;		/* InvalidOid: unused */
	int64		budget;			/* its number, */
	Oid			role;			/* and whose it is */
	char		dataset[NAMEDATALEN];
	uint8		question[DP_QUESTION_BYTES];
	int64		count;
} DpReplays;

/* Memory that the answers of a budget take. */
typedef struct DpKeptSize
{
	Oid			database;		/* InvalidOid: unused */
	int64		budget;
	Size		size;			/* at most: of what failed to be stored, too */
} DpKeptSize;

typedef struct DpKeptCounts
{
	int			next;			/* size to be given up next */
	DpReplays	replays[DP_KEPT_COUNTS];
	DpKeptSize	sizes[DP_KEPT_COUNTS];
} DpKeptCounts;

/* Count replays of an answer in this database.  Are they the first since they were entered? */
extern bool dp_budget_kept_count_replays(const DpReplays *replays);

/* Replays that are not entered yet: of a budget, or of one of its answers (NULL: all). */
extern int64 dp_budget_kept_count_pending(int64 budget, const uint8 *question);

/* Is there room for counts of few more answers only? */
extern bool dp_budget_kept_count_is_crowded(void);

/* Take all counts of this database, in the current memory context; returns how many. */
extern int	dp_budget_kept_count_take(DpReplays **replays);

/* The memory of a budget's answers in this database; false if it is not known. */
extern bool dp_budget_kept_count_size(int64 budget, Size *size);
extern void dp_budget_kept_count_set_size(int64 budget, Size size);

#endif							/* DP_BUDGET_QUEUE_KEPT_COUNT_H */
