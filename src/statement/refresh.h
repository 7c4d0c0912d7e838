/* SPDX-License-Identifier: PostgreSQL */
/*
 * refresh.h
 *	  REFRESH MATERIALIZED VIEW of a view over a question, by another role than pays for
 *	  it.
 *
 * A dump makes such views without rows and refreshes them in the end, as the role that
 * restores it.  That role may not make their owners pay, and in a copy nobody is
 * charged.  That must not keep the rest of the dump from being restored: the view stays
 * as it was, and a warning says so.  Without rows PostgreSQL refuses to read it.
 */
#ifndef DP_STATEMENT_REFRESH_H
#define DP_STATEMENT_REFRESH_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Run a REFRESH by this call.  Errors of a question that was not charged become a warning
 *
 * - wherever budgets may be behind, in a copy of the database that nobody has acknowledged,
 * - of a view without rows, if the role is not its owner, or administers the database.
 *
 * - of a view over one that was left without rows.
 *
 * All others are raised.
 */
extern void dp_statement_refresh(const RefreshMatViewStmt *command, void (*run) (void *), void *argument);

/*
 * The owner of the view that is being refreshed, whose kept answers it may show whoever
 * refreshes it; InvalidOid if none is.
 */
extern Oid	dp_statement_refresh_owner(void);

#endif							/* DP_STATEMENT_REFRESH_H */
