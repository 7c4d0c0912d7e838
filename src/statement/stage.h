/* SPDX-License-Identifier: PostgreSQL */
/*
 * stage.h
 *	  Blocks that read what other blocks of their statement release.
 *
 *		SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people)
 *
 * The released mean is public: whoever asks is shown it, and might have asked in two statements.  So the
 * block around it reads it as it reads public rows (public_params.h), by a query that is run once the
 * block in it is drawn.  Stages are settled by the text: a block is drawn as soon as all that it reads is
 * known.  All stages are priced before anything is read, and paid for by one charge, before the first row.
 *
 * The plan of the statement has a release node for each block.  Those that only other blocks read are
 * among its subplans, where nothing refers to them.  A query that reads releases gets nodes of its own, which
 * show what those of the statement hold.
 */
#ifndef DP_STATEMENT_STAGE_H
#define DP_STATEMENT_STAGE_H

#include "postgres.h"

#include "optimizer/planner.h"

#include "exact/planning.h"
#include "statement/revalidate.h"

/*
 * Read what can be read by now of public rows and code, and of releases.  That runs the analyst's code, which
 * may change anything but the role that all the rest is done as.
 */
extern void dp_statement_read_values(DpOpening *opening);

/*
 * The nodes that can be drawn now: those that hold nothing, and for which all values are known that
 * they read.  Those that come later are in *later.
 */
extern List *dp_statement_next_stage(const DpOpening *opening, List **later);

/* Plan a query with releases in their places, changed in place: what stands above them gives NULL where it fails. */
extern PlannedStmt *dp_statement_plan_above(const DpPlanning *what, planner_hook_type planner, Query *query,
											const char *source, int cursor_options, ParamListInfo params);

/* Plan a query of a statement that is being opened, which reads its releases; NULL if it is any other. */
extern PlannedStmt *dp_statement_plan_reader(planner_hook_type planner, Query *query, const char *source,
											 int cursor_options, ParamListInfo params);

/*
 * Have the nodes of a started plan show what those of the statement hold that is being opened; false if it
 * is a statement of its own.
 */
extern bool dp_statement_join_opening(List *nodes);

#endif							/* DP_STATEMENT_STAGE_H */
