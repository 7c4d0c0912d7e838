/* SPDX-License-Identifier: PostgreSQL */
/*
 * share.h
 *	  Rows of a parallel plan: each process collects those it reads in segments of shared
 *	  memory, and in files that all can read as soon as these are full.  When all rows have
 *	  been read, the parts are taken by whichever process comes first, from where all have
 *	  put them; so all rows of a unit meet in one process.
 *
 * Segments are there as long as any process has them.  Each leaves them when no part is
 * left, or its resource owner does: so none outlives the plan, whatever happens.
 *
 * A process may come late, or not at all.  Nobody waits but for the last row, which all
 * who take part are reading on; so nobody waits for a process that waits for it.
 *
 * Where distinct values count, each process puts down the pairs of the units that it took,
 * and the last to do so goes through those of all.
 */
#ifndef DP_UNITS_SHARE_H
#define DP_UNITS_SHARE_H

#include "postgres.h"

#include "access/parallel.h"

#include "base/server_files.h"
#include "units/collect.h"

/* Memory that the processes share. */
typedef struct DpUnitsShared DpUnitsShared;

/* One process's side of it. */
typedef struct DpShare
{
	DpUnitsShared *shared;
	int			process;		/* its number */
	bool		late;			/* it came late, and reads no rows */
	DpServerSegments segments;	/* that all can read; and */
	DpServerFiles files;		/* likewise; and */
	DpServerFiles own_files;	/* others, of this process alone */
} DpShare;

/* Bytes to share among the leader and so many workers, for so many measures of distinct values. */
extern Size dp_units_shared_size(int workers, int values);

/* In the leader, before any of them runs: with the secret and the measures of values that are described here. */
extern void dp_units_share(DpUnitsShared *shared, ParallelContext *context, const DpUnitsSpec *spec);

/* In a worker: the files are there as long as anybody is. */
extern void dp_units_attach(DpUnitsShared *shared);

/*
 * Join in, before reading rows: sets the secret that all processes have, and how many these are at most.
 * Files are described in this memory context.
 */
extern void dp_units_share_join(DpShare *share, DpUnitsShared *shared, MemoryContext context, DpUnitsSpec *spec);

/*
 * All rows of this process are collected: wait for those of others, add up what this
 * process comes to, and go through its groups with their totals.
 */
extern void dp_units_share_finish(DpShare *share, DpCollect *collect, DpKeyVisit visit, void *context);

#endif							/* DP_UNITS_SHARE_H */
