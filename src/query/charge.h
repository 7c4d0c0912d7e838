/*
 * charge.h
 *	  Paying for a started statement.
 */
#ifndef DP_QUERY_CHARGE_H
#define DP_QUERY_CHARGE_H

#include "postgres.h"

#include "executor/execdesc.h"

#include "budget/client.h"
#include "query/block.h"

/*
 * Charge everything the started statement can release to the role in effect,
 * in one charge, and mark its release nodes as paid.  Returns at once if it
 * has none.  Raises 53400 if the budget does not admit it, and whatever the
 * keeper reports; then nothing is marked.
 */
extern void dp_query_charge(QueryDesc *query_desc);

/* Total curve of several blocks (a List of const DpBlock *). */
extern void dp_query_total_cost(List *blocks, DpCurve *cost);

/*
 * This session's last paid statement: its blocks and the balance it left.
 * NIL if there was none, or if another role paid for it.
 */
extern List *dp_query_last_release(DpBalance *balance);

#endif							/* DP_QUERY_CHARGE_H */
