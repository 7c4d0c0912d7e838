/*
 * update.h
 *	  Writing a new version of a row whose key stays as it is.
 */
#ifndef DP_BUDGET_ACCOUNT_UPDATE_H
#define DP_BUDGET_ACCOUNT_UPDATE_H

#include "postgres.h"

#include "nodes/execnodes.h"

/*
 * Replace a row that this transaction has locked by one with the same primary key, as the
 * executor does, but for one thing: that nobody else has that key, or any other key that
 * stays the same, is not looked up again, since that reads all versions of the row that an
 * index still leads to.  The lock says so: there is one row of a key, and it is this one.
 */
extern void dp_budget_update_row(ResultRelInfo *table, EState *estate, TupleTableSlot *found,
								 TupleTableSlot *changed);

#endif							/* DP_BUDGET_ACCOUNT_UPDATE_H */
