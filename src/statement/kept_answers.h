/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_answers.h
 *	  Showing kept answers again, and keeping new ones.
 *
 * Answers belong to the budget that paid for them.  Shown again it costs nothing, since
 * nothing is learned from it, and no protected row is read for it.  Everything else
 * stays as it is: the role's rights, the validation, the policy.
 */
#ifndef DP_STATEMENT_KEPT_ANSWERS_H
#define DP_STATEMENT_KEPT_ANSWERS_H

#include "postgres.h"

#include "draw/release_state.h"

/*
 * Find what is asked by nodes, so that answers can be found and kept, unless it is known.
 * Returns that, of each node a DpQuestion or NULL, if it is the same as long as nothing is
 * altered; else NIL.
 */
extern List *dp_statement_ask(List *nodes, List *known);

/*
 * Have nodes hold what is kept for them, for a role that pays; returns those that are
 * to be drawn, since nothing is kept for them, or nothing that is young enough for
 * dp_agg.kept_max_age.  If several ask the same, one is drawn for all.  The nodes'
 * questions are known.  Nothing is looked for where the nodes are paid for already.
 */
extern List *dp_statement_replay(List *nodes, Oid payer, bool paid);

/* Have the nodes that others were drawn for hold the same. */
extern void dp_statement_share(List *nodes, const DpBalance *balance);

/* Those of the nodes that are to be drawn, and paid for. */
extern List *dp_statement_unpaid(List *nodes, Oid payer);

/* Have what these nodes released be kept for the budget that paid, by the balance that was left. */
extern void dp_statement_keep(List *nodes, const DpBalance *balance);

/*
 * The time at which a node was answered, if that is shown again, or would be now: else 0.
 */
extern TimestampTz dp_statement_kept_since(DpReleaseState *state, Oid payer);

#endif							/* DP_STATEMENT_KEPT_ANSWERS_H */
