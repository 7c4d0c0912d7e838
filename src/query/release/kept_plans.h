/*
 * kept_plans.h
 *	  Plans of exact queries that a session keeps for statements it runs again.
 *
 * They are good for as long as nothing changed; see invalidation.h.  Whoever takes one
 * uses it up before anything else can be opened.
 */
#ifndef DP_QUERY_RELEASE_KEPT_PLANS_H
#define DP_QUERY_RELEASE_KEPT_PLANS_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * Was the statement of this number opened before, with nothing changed since?  If so,
 * *plans are those that were kept, or NIL.
 */
extern bool dp_query_opened_before(uint64 statement, List **plans);

/* Enter that it was opened, with nothing changed until now. */
extern void dp_query_note_opened(uint64 statement);

/* Keep copies of the plans of a statement that was opened before: of PlannedStmt or NULL. */
extern void dp_query_keep_plans(uint64 statement, List *plans);

#endif							/* DP_QUERY_RELEASE_KEPT_PLANS_H */
