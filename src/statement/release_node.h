/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_node.h
 *	  The release node in the executor.
 */
#ifndef DP_STATEMENT_RELEASE_NODE_H
#define DP_STATEMENT_RELEASE_NODE_H

#include "postgres.h"

#include "executor/execdesc.h"
#include "nodes/extensible.h"

#include "draw/release_state.h"
#include "pricing/block_rewrite.h"

/* How the node is made of its plan. */
extern const CustomScanMethods dp_statement_release_methods;

/*
 * State of the node of the statement's n-th block, without the origin; or of one that shows what that holds, in
 * a query that the statement of this number reads its own releases by.
 */
extern List *dp_statement_carry_block(const DpRewrittenBlock *entry, int n, int64 reads_of);

/* The numbers of the releases that a finished plan has nodes for. */
extern Bitmapset *dp_statement_releases_in(const PlannedStmt *plan);

/* Read the state in a node's plan. */
extern void dp_statement_read_release_scan(const CustomScan *scan, DpReleaseState *state);

/* Tell the release nodes of a finished plan, if it has any, what they came from. */
extern void dp_statement_set_origin(PlannedStmt *plan, List *origin);

/* Register the node; from _PG_init. */
extern void dp_statement_release_init(void);

/* The release nodes of a started plan, as a List of DpReleaseState: those first that only others read. */
extern List *dp_statement_release_nodes(QueryDesc *query_desc);

/*
 * Append the tables that the releases of a plan read to those that a hook is asked
 * about: entries of a range table and, since 16, the permissions beside it.  Tables
 * that are read by statements that start by themselves are left out.
 */
extern void dp_statement_add_rights(const PlannedStmt *plan, List **entries, List **permissions);

#endif							/* DP_STATEMENT_RELEASE_NODE_H */
