/* SPDX-License-Identifier: PostgreSQL */
/*
 * cached_plans.h
 *	  Plans of exact queries that a session keeps for statements it runs again.
 *
 * They are good for as long as nothing changed; see invalidation.h.  A caller that
 * takes one uses it up before anything else can be opened.
 */
#ifndef DP_STATEMENT_CACHED_PLANS_H
#define DP_STATEMENT_CACHED_PLANS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

typedef struct DpCachedPlans
{
	List	   *plans;			/* of each node's exact query; NIL: none are cached */
	List	   *key_plans;		/* of what lists its keys, or NULL */
	Jsonb	   *releases;		/* what the ledger is told */
	List	   *questions;		/* what each node asks, as DpQuestion or NULL; NIL: it is not kept */
	uint64		filled;			/* the number of dp_draw_cache_changes() at which the caches held
								 * all that rows need of them, or 0 */
} DpCachedPlans;

/*
 * Was the statement of this number opened before, with nothing changed since?  If so,
 * *cached is what was cached of it.
 */
extern bool dp_statement_opened_before(uint64 statement, DpCachedPlans *cached);

/* Enter that it was opened, with nothing changed until now. */
extern void dp_statement_note_opened(uint64 statement);

/* Cache copies of the plans of a statement that was opened before, and of what the ledger is told. */
extern void dp_statement_cache_plans(uint64 statement, const DpCachedPlans *made);

/* Cache copies of what the nodes of a statement that was opened ask. */
extern void dp_statement_cache_questions(uint64 statement, const List *questions);

/* Enter when the caches held all that the rows of kept plans need, if there are such plans. */
extern void dp_statement_note_filled(uint64 statement, uint64 cache_changes);

#endif							/* DP_STATEMENT_CACHED_PLANS_H */
