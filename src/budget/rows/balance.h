/* SPDX-License-Identifier: PostgreSQL */
/*
 * balance.h
 *	  What a charge finds or leaves of a budget.
 */
#ifndef DP_BUDGET_ROWS_BALANCE_H
#define DP_BUDGET_ROWS_BALANCE_H

#include "postgres.h"

#include "datatype/timestamp.h"

#include "accounting/filter.h"
#include "budget/rows/chain.h"

/* The row of the ledger that a charge is. */
typedef struct DpReceipt
{
	int64		entry;			/* its number */
	TimestampTz at;
	uint8		hash[DP_CHAIN_BYTES];
} DpReceipt;

/*
 * The budget that answers for the role, its own or a pool's, and the data
 * set's cap, as the charge found or left them.
 */
typedef struct DpBalance
{
	int64		budget;			/* its number, */
	Oid			payer;			/* and whose it is */
	DpReceipt	receipt;		/* of a charge that was admitted */
	DpLimit		limit;
	DpCurve		spent;
	bool		capped;			/* the rest is only there if so */
	bool		behind;			/* on a copy: not to be charged */
	bool		refused_by_cap; /* the budget would have admitted the charge */
	double		alert;			/* threshold of the budget, in percent, that the charge crossed;
								 * 0: none */
	DpLimit		cap_limit;
	DpCurve		cap_spent;
} DpBalance;

#endif							/* DP_BUDGET_ROWS_BALANCE_H */
