/* SPDX-License-Identifier: PostgreSQL */
/*
 * notices.h
 *	  Notices that come with answers: of noise once a session, others with each statement.
 *
 * All of it depends on the statement's text and what is declared alone, but for what is said of an answer:
 * that depends on what is released, and on nothing else.
 */
#ifndef DP_STATEMENT_NOTICES_H
#define DP_STATEMENT_NOTICES_H

#include "postgres.h"

#include "draw/release_state.h"

/*
 * Tell who writes plain SQL what its answers are: of noise once a session, of groups that
 * may be missing once a statement.  Takes release nodes, of DpReleaseState.
 */
extern void dp_statement_tell_of_noise(List *nodes);

/*
 * Say that a unit counts once where it may have several rows, if nobody declared or set more; or
 * that a join may make more rows of one than count.
 */
extern void dp_statement_tell_of_bounds(List *nodes);

/*
 * Say that noise may have made NULL of a quantile, if one of this row's, which a node shows, is.  Returns
 * whether that was said.
 */
extern bool dp_statement_tell_of_withheld(const DpReleaseState *state, const TupleTableSlot *slot);

/*
 * Say of one release that was drawn for these nodes that its clamp may cut far more than its noise, or
 * that too few units are there to tell.  It depends on what is released alone: numbers of units, with their
 * noise.  Is anything said?
 */
extern bool dp_statement_tell_of_cut(List *nodes);

/* Tell everything anew, as in a session that begins. */
extern void dp_statement_forget_notices(void);

/*
 * Notices about an answer, beside its price.
 */

/*
 * When the answer to a node was paid for, if it is shown again at no cost, and of how
 * many groups it is the sum, if so.  Or that it is not kept, or is not going to be; or
 * NULL.
 */
extern const char *dp_statement_answer_note(const DpReleaseState *state, TimestampTz kept_since);

#endif							/* DP_STATEMENT_NOTICES_H */
