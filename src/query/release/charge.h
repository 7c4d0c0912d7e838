/*
 * charge.h
 *	  Paying for a statement.
 */
#ifndef DP_QUERY_RELEASE_CHARGE_H
#define DP_QUERY_RELEASE_CHARGE_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "budget/client.h"

/* What the ledger is told of these release nodes. */
extern Jsonb *dp_query_releases_of(List *nodes);

/*
 * Charge everything these release nodes of a statement can release to a role, in one
 * charge, and mark the nodes as paid.  Raises 53400 if the budget does not admit it, and
 * whatever the keeper reports; then nothing is marked.  The ledger gets the statement's
 * releases and text, or NULL.
 */
extern void dp_query_charge(List *nodes, Oid payer, const Jsonb *releases, const text *statement);

/* Total curve of several blocks (a List of const DpBlock *). */
extern void dp_query_total_cost(List *blocks, DpCurve *cost);

/*
 * This session's last paid statement: its blocks and the balance it left.
 * NIL if there was none, or if another role paid for it.
 */
extern List *dp_query_last_release(DpBalance *balance);

/* Forget it. */
extern void dp_query_forget_release(void);

#endif							/* DP_QUERY_RELEASE_CHARGE_H */
