/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_payer.h
 *	  Who paid for a kept answer, by the ledger.
 */
#ifndef DP_BUDGET_KEPT_KEPT_PAYER_H
#define DP_BUDGET_KEPT_KEPT_PAYER_H

#include "postgres.h"

#include "budget/account/payer.h"

/*
 * Did this budget pay for the answer that names an entry of the ledger as its charge: is
 * that one of its number and its role?  If the ledger has neither that entry nor older
 * ones, they were removed, and the number alone says so.
 */
extern bool dp_budget_kept_is_paid_by(int64 entry, const DpBudgetId *budget);

#endif							/* DP_BUDGET_KEPT_KEPT_PAYER_H */
