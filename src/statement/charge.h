/* SPDX-License-Identifier: PostgreSQL */
/*
 * charge.h
 *	  Paying for a statement.
 */
#ifndef DP_STATEMENT_CHARGE_H
#define DP_STATEMENT_CHARGE_H

#include "postgres.h"

#include "datatype/timestamp.h"

#include "draw/release_state.h"

/* Description of these release nodes for the ledger. */
extern Jsonb *dp_statement_releases_of(List *nodes);

/*
 * Charge everything these release nodes of a statement can release to a role, in one
 * charge, and mark the nodes as paid; *balance is then what it left.  Raises 53400 if the
 * budget does not admit it, and whatever the keeper reports; then nothing is marked.  The
 * ledger gets the statement's releases and text, or NULL.
 */
extern void dp_statement_charge(List *nodes, Oid payer, const Jsonb *releases, const text *statement,
								DpBalance *balance);

/* Total curve of several blocks (a List of const DpBlock *). */
extern void dp_statement_total_cost(List *blocks, DpCurve *cost);

/* A block that was answered, or would be. */
typedef struct DpAnsweredBlock
{
	DpBlock    *block;
	bool		free;			/* a kept answer, or that of another block that asks the same */
	const char *note;			/* on its answer, or NULL: see kept_answers.h */
	TimestampTz rows_as_of;		/* when the rows that it is drawn of were current: see
								 * rows_as_of.h */
} DpAnsweredBlock;

/* Copy that of a node, into the current memory context. */
extern DpAnsweredBlock *dp_statement_copy_answered(const DpReleaseState *state, bool free, const char *note);

/* Remember what these nodes of a statement hold, all it has, and the balance it left. */
extern void dp_statement_remember_release(List *nodes, Oid payer, const DpBalance *balance);

/*
 * This session's last answered statement: its blocks, as DpAnsweredBlock, and the balance it
 * left.  NIL if there was none, or if another role paid for it.
 */
extern List *dp_statement_last_release(DpBalance *balance);

/* Forget it. */
extern void dp_statement_forget_release(void);

#endif							/* DP_STATEMENT_CHARGE_H */
