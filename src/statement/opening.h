/* SPDX-License-Identifier: PostgreSQL */
/*
 * opening.h
 *	  From the first fetch of a release to the last row read for it.
 *
 * Whatever a statement's releases need is done in one act, when the first of them is
 * fetched: everything they read is locked and validated, planned, paid for and read.
 * Nobody else's code runs from the last check to the last row, and what is never fetched
 * is neither charged nor read.
 */
#ifndef DP_STATEMENT_OPENING_H
#define DP_STATEMENT_OPENING_H

#include "postgres.h"

#include "executor/execdesc.h"

/* A statement whose releases are opened: see revalidate.h. */
struct DpOpening;

/*
 * Check that the asking role may read what these releases of a started statement read, and
 * note who asks.  From ExecutorStart_hook.
 */
extern void dp_statement_start_releases(QueryDesc *query_desc, List *nodes, int eflags);

/*
 * Open the statement's releases: all of them then hold what they release.  Raises an
 * error, and charges nothing, if what was validated does not hold any more (55000), or
 * if the budget does not admit it (53400); and whatever the keeper reports.
 */
extern void dp_statement_open(struct DpOpening *opening);

/* All release nodes of the statement, and who pays for them. */
extern List *dp_statement_nodes_of(const struct DpOpening *opening, Oid *payer);

/* After DISCARD ALL: forget what this session was answered, and told. */
extern void dp_statement_discard_session(void);

/*
 * Open the releases of the running statement with this executor state, if it has any and
 * they have not been opened: for a function in it that tells what they are.
 */
extern void dp_statement_open_running(const EState *estate);

#endif							/* DP_STATEMENT_OPENING_H */
