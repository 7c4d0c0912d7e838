/* SPDX-License-Identifier: PostgreSQL */
/*
 * number.h
 *	  Numbers of budgets, which are never used again.
 */
#ifndef DP_BUDGET_AUDIT_NUMBER_H
#define DP_BUDGET_AUDIT_NUMBER_H

#include "postgres.h"

/*
 * A number for the budget of a role on a data set (or its cap), should it begin with this
 * transaction: greater than that of any budget there is, that the ledger knows of or that this
 * transaction has begun.  Nobody else begins one before the transaction ends, unless the
 * budget is there already and needs none.  54000 if no number is left.
 */
extern int64 dp_budget_number_for(Oid role, const char *dataset);

#endif							/* DP_BUDGET_AUDIT_NUMBER_H */
