/*
 * kept_answers.h
 *	  Showing kept answers again, and keeping new ones.
 *
 * What a block released belongs to the budget that paid.  Shown again it costs nothing, since
 * nothing is learned from it, and no protected row is read for it.  Everything else stays as
 * it is: the role's rights, the validation, the policy.
 */
#ifndef DP_QUERY_RELEASE_KEPT_ANSWERS_H
#define DP_QUERY_RELEASE_KEPT_ANSWERS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "budget/balance.h"
#include "query/release/release_state.h"

/* Find what is asked by nodes, so that answers can be found and kept. */
extern void dp_query_ask(List *nodes);

/*
 * Have nodes hold what is kept for them, for a role that pays; returns those for which
 * nothing is kept, or nothing that is young enough for dp_agg.reuse.  The nodes were asked.
 */
extern List *dp_query_replay(List *nodes, Oid payer);

/* Have what these nodes released be kept for the budget that paid, by the balance that was left. */
extern void dp_query_keep(List *nodes, const DpBalance *balance);

/*
 * The time at which a node was answered, if that is shown again, or would be now: else 0.
 */
extern TimestampTz dp_query_kept_since(DpReleaseState *state, Oid payer);

/*
 * What can be said of the answer to a block: when it was asked, if it is kept, so that it
 * costs nothing; that it is not going to be kept; or NULL.
 */
extern const char *dp_query_answer_note(const DpBlock *block, TimestampTz kept_since);

#endif							/* DP_QUERY_RELEASE_KEPT_ANSWERS_H */
