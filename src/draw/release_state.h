/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_state.h
 *	  A release node in a running plan.
 */
#ifndef DP_DRAW_RELEASE_STATE_H
#define DP_DRAW_RELEASE_STATE_H

#include "postgres.h"

#include "aggregate/ladder_cut.h"
#include "draw/read_listed_keys.h"
#include "kept/packed_rows.h"
#include "kept/question.h"

typedef struct DpReleaseState
{
	CustomScanState css;		/* must be first */
	const DpBlock *block;		/* as it was priced */
	const DpBlock *drawn;		/* for the max_groups that was chosen, or NULL */
	int			number;			/* among the statement's blocks, from 0 */
	Query	   *exact;			/* what computes the exact totals, */
	Query	   *list_keys;		/* and what lists public keys, or NULL: validated */
	List	   *checks;			/* of Query: of public tables, none of which may have a row */
	List	   *join;			/* how a join was limited (pricing/block_rewrite.h), or NIL */
	List	   *unknown_keys;	/* what is said of constants that are no keys
								 * (rewrite/unknown_keys.h) */
	List	   *shown;			/* what it shows (rewrite/shown_values.h), or NIL */
	List	   *enums;			/* that these know */
	List	   *asked;			/* what it asks, in words: see asked.h */
	List	   *cells;			/* what its groups are made of (cells.h), or NIL */
	List	   *origin;			/* of the statement (opening.h), in one of its nodes */
	int			reads;			/* number of the public values that must be known to draw it */
	bool		reads_released; /* is what it asks known only once others of the statement are
								 * drawn? */
	bool		read_by_others; /* is it read by other blocks of the statement alone? */
	int64		reads_of;		/* number of the statement that reads its own release by this;
								 * else 0, */
	struct DpReleaseState *source;	/* and the node that holds what this one shows */
	struct DpOpening *opening;	/* NULL: the statement is only explained */
	bool		paid;			/* set by the charge, never otherwise */
	const DpQuestion *question; /* what it asks, or NULL: its answer is not kept */
	DpPackedRows *kept;			/* the answer that is shown again, or NULL */
	struct DpReleaseState *twin;	/* that asks the same, and is drawn for both, or NULL, */
	int		   *twin_column;	/* and its column for each of this node's, from 0 */
	TimestampTz kept_since;		/* when what is shown again was paid for; else 0 */
	struct DpBlockCells *spelled_cells; /* these, while it is opened, or NULL */
	int			added;			/* number of groups it is added up from; else 0 */
	const DpBlock *added_block; /* what it is then: its noise is the sum of theirs */
	const char *statement_price;	/* what EXPLAIN shows, in the statement's first node */
	bool		looked_for;		/* was that looked for, of a statement that is explained? */
	bool		unkept;			/* too much was released to be kept */
	int64		beyond;			/* noisy number of units in more groups than count, where that
								 * number was chosen, in the grid of its noise */
	int		   *clamps;			/* the step chosen for each release, or -1; NULL: nothing was
								 * drawn */
	DpLadderSeen *seen;			/* and what is known of what those cut */
	DpKeys	   *keys;			/* that were listed */
	PlanState  *child;			/* the exact plan, while it runs */
	double	   *feigned;		/* of each release, rows that noise may feign (pricing/selector.h) */
	Tuplestorestate *store;		/* released rows, or its twin's; NULL until there are any */
	int			reader;			/* number of its place in them */
	TupleTableSlot *store_slot;
} DpReleaseState;

/* The queries that a release runs. */
static inline List *
dp_draw_release_queries(const DpReleaseState *state)
{
	return list_concat(list_make2(state->exact, state->list_keys), state->checks);
}

#endif							/* DP_DRAW_RELEASE_STATE_H */
