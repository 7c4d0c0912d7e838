/* SPDX-License-Identifier: PostgreSQL */
/*
 * follow.h
 *	  Does a row of the budget table follow from the ledger?
 *
 * A keeper writes both in one transaction, and so do acts of administration.  A row
 * that it finds and did not leave, and a cap that it does not find, are compared with
 * the ledger's last word on them.  That is whose they are, the limits and their terms,
 * when the period began, and the totals then.  A row may have spent more, or differ in
 * what the ledger's totals do not tell; then dp_agg.verify_ledger says so, which adds
 * up all there is.
 *
 * Takes a few look-ups in indexes; and for what older rows said that were
 * removed, once for each checkpoint, time and memory for all of its budgets.
 */
#ifndef DP_BUDGET_AUDIT_FOLLOW_H
#define DP_BUDGET_AUDIT_FOLLOW_H

#include "postgres.h"

#include "budget/rows/ledger.h"

/*
 * How a row differs from what the ledger, as the active snapshot sees it, said
 * last; NULL if it follows.  A phrase about the row, as those of verify.c.
 */
extern const char *dp_budget_follow_check(Relation ledger, const DpBudgetRow *row);

/*
 * Has a data set a cap, by the ledger up to this end of its chain?  That it has
 * none is remembered, of one data set, until somebody else appends to the chain.
 */
extern bool dp_budget_follow_has_cap(Relation ledger, const char *dataset,
									 const DpChainEnd *end);

/* The greatest number of a budget that the ledger, as the active snapshot sees it, ever had; or 0. */
extern int64 dp_budget_follow_greatest(Relation ledger);

/* The keeper itself moves the end on, by decisions: if that is committed. */
extern void dp_budget_follow_decided(const DpChainEnd *from, const DpChainEnd *end);

#endif							/* DP_BUDGET_AUDIT_FOLLOW_H */
