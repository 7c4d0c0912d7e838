/*
 * together.h
 *	  Adding up the rows of all units in the processes of a parallel plan.
 */
#ifndef DP_UNITS_TOGETHER_H
#define DP_UNITS_TOGETHER_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/barrier.h"
#include "storage/sharedfileset.h"

#include "units/adding.h"

/* What they share. */
typedef struct DpTogether
{
	Barrier		read;			/* phase 0: rows are being read */
	pg_atomic_uint32 writers;	/* processes that read rows */
	pg_atomic_uint32 next;		/* partition to be put together */
	DpUnitsSecret secret;		/* one for all, or they could not be */
	SharedFileSet files;		/* goes with the leader's segment */
} DpTogether;

/* In the leader, before any of them runs. */
extern void dp_together_initialize(DpTogether *together, dsm_segment *segment);

/* In each of them: add up rows, then whole units; passes on some of the groups. */
extern void dp_together_run(DpTogether *together, DpAdding *adding);

#endif							/* DP_UNITS_TOGETHER_H */
