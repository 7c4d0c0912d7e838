/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_path.h
 *	  The release node in the planner.
 */
#ifndef DP_STATEMENT_RELEASE_PATH_H
#define DP_STATEMENT_RELEASE_PATH_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "tree/statement.h"

/* Have the planner put a release node in place of an item of FROM, if it stands for one. */
extern void dp_statement_replace_item(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *item);

/* Give a finished plan nodes for the blocks of its statement that only other blocks read (stage.h). */
extern void dp_statement_add_read_releases(PlannedStmt *plan, const DpStatement *statement);

#endif							/* DP_STATEMENT_RELEASE_PATH_H */
