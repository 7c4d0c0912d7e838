/*
 * release.h
 *	  The release node: the only way exact totals leave a plan.
 */
#ifndef DP_QUERY_RELEASE_H
#define DP_QUERY_RELEASE_H

#include "postgres.h"

#include "commands/explain.h"
#include "executor/execdesc.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

#include "query/block.h"
#include "query/listed.h"

struct DpRewrittenBlock;

/* A release node in a running plan. */
typedef struct DpReleaseState
{
	CustomScanState css;		/* must be first */
	const DpBlock *block;
	bool		paid;			/* set by the charge, never otherwise */
	int			listing;		/* number of the plan that lists keys, or 0 */
	DpKeys	   *keys;			/* that it listed */
	List	   *enums;			/* that the exact plan knows */
	int			eflags;			/* for the exact plan */
	bool		parallel;		/* does the exact plan want workers? */
	PlanState  *child;			/* the exact plan, while it runs */
	struct JitContext *jit;		/* of the exact plan */
	Tuplestorestate *store;		/* released rows; NULL until it has run */
	TupleTableSlot *store_slot;
} DpReleaseState;

/*
 * release_path.c: replace the final paths of a block's exact query by one
 * release path of constant cost, rows and width.
 */
extern void dp_query_make_release_path(PlannerInfo *root, RelOptInfo *rel,
									   const struct DpRewrittenBlock *entry);

/* release_path.c: make EXPLAIN show what it should of a finished plan's release, and no more. */
extern void dp_query_tidy_release(CustomScan *scan);

/* release_path.c: register the node; from _PG_init. */
extern void dp_query_release_init(void);

/* The release nodes of a started plan, as a List of DpReleaseState. */
extern List *dp_query_release_nodes(QueryDesc *query_desc);

/* release.c: read the public keys of a started node, if tables list them. */
extern void dp_query_release_read_keys(DpReleaseState *state);

/*
 * release.c: prepare a parallel worker's part of a plan, if it is part of an exact one,
 * as that has been, before it runs.
 */
extern void dp_query_start_worker(PlanState *plan);

/* release.c: the next group of the exact plan, deformed; NULL at the end. */
extern TupleTableSlot *dp_query_next_exact(DpReleaseState *state);

/*
 * release.c: put the keys of a row into a result, or without a row the n-th key of
 * those that are numbers.  Whether that row has them compressed
 * or out of line does not show, and one that is too long for a row that may have many is
 * NULL.
 */
extern void dp_query_release_keys(const DpBlock *block, TupleTableSlot *keys, int n,
								  TupleTableSlot *result);

/* release_form.c: release what the block's form is, but for groups. */
extern void dp_query_release_form(DpReleaseState *state, TupleTableSlot *result);

/* release.c: executor callbacks. */
extern Node *dp_query_release_create_state(CustomScan *scan);

/* explain.c: what EXPLAIN shows of the node. */
extern void dp_query_release_explain(CustomScanState *node, List *ancestors,
									 struct ExplainState *es);

#endif							/* DP_QUERY_RELEASE_H */
