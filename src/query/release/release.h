/*
 * release.h
 *	  The release node: the only way exact totals leave a plan.
 */
#ifndef DP_QUERY_RELEASE_RELEASE_H
#define DP_QUERY_RELEASE_RELEASE_H

#include "postgres.h"

#include "commands/explain.h"
#include "executor/execdesc.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

#include "query/block/block.h"
#include "query/release/read_listed_keys.h"

struct DpOpening;
struct DpRewrittenBlock;

/* A release node in a running plan. */
typedef struct DpReleaseState
{
	CustomScanState css;		/* must be first */
	const DpBlock *block;
	int			number;			/* among the statement's blocks, from 0 */
	Query	   *exact;			/* what computes the exact totals, */
	Query	   *list_keys;		/* and what lists public keys, or NULL: validated */
	List	   *enums;			/* that these know */
	List	   *origin;			/* of the statement (opening.h), in one of its nodes */
	struct DpOpening *opening;	/* NULL: the statement is only explained */
	bool		paid;			/* set by the charge, never otherwise */
	DpKeys	   *keys;			/* that were listed */
	PlanState  *child;			/* the exact plan, while it runs */
	Tuplestorestate *store;		/* released rows; NULL until it has run */
	TupleTableSlot *store_slot;
} DpReleaseState;

/* release_path.c: have the planner put a release node in place of an item of FROM, if it stands for one. */
extern void dp_query_replace_item(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *item);

/* release_path.c: tell the release nodes of a finished plan, if it has any, what they came from. */
extern void dp_query_set_origin(PlannedStmt *plan, List *origin);

/* release_path.c: what a node's plan carries. */
extern void dp_query_read_release_scan(const CustomScan *scan, DpReleaseState *state);

/* release_path.c: register the node; from _PG_init. */
extern void dp_query_release_init(void);

/* The release nodes of a started plan, as a List of DpReleaseState. */
extern List *dp_query_release_nodes(QueryDesc *query_desc);

/*
 * release.c: run the exact plan of a node that was paid for, and keep what it releases.
 * Whatever goes wrong is reported by fixed words.
 */
extern void dp_query_read_release(DpReleaseState *state, PlannedStmt *plan);

/*
 * release.c: prepare a parallel worker's part of a plan, if it is part of an exact one,
 * as that has been, before it runs.
 */
extern void dp_query_start_worker(PlanState *plan);

/* release.c: the next group of the running exact plan, deformed; NULL at the end. */
extern TupleTableSlot *dp_query_next_exact(DpReleaseState *state);

/*
 * release.c: put the keys of a row into a result, or without a row the n-th key of
 * those that are numbers.  Whether that row has them compressed
 * or out of line does not show, and one that is too long for a row that may have many is
 * NULL.
 */
extern void dp_query_release_keys(const DpBlock *block, TupleTableSlot *keys, int n,
								  TupleTableSlot *result);

/* release_forms.c: release what the block's form is, but for groups. */
extern void dp_query_release_form(DpReleaseState *state, TupleTableSlot *result);

/* release.c: executor callbacks. */
extern Node *dp_query_release_create_state(CustomScan *scan);

/* explain.c: what EXPLAIN shows of the node. */
extern void dp_query_release_explain(CustomScanState *node, List *ancestors,
									 struct ExplainState *es);

#endif							/* DP_QUERY_RELEASE_RELEASE_H */
