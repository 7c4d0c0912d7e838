/*
 * answer_note.h
 *	  What can be said of an answer beside its price.
 */
#ifndef DP_STATEMENT_ANSWER_NOTE_H
#define DP_STATEMENT_ANSWER_NOTE_H

#include "postgres.h"

#include "draw/release_state.h"

/*
 * When the answer to a node was paid for, if it is shown again, so that it costs nothing, and of
 * how many groups it is the sum, if so; that
 * it is not kept, or is not going to be; or NULL.
 */
extern const char *dp_query_answer_note(const DpReleaseState *state, TimestampTz kept_since);

#endif							/* DP_STATEMENT_ANSWER_NOTE_H */
