/*
 * client.h
 *	  Charging a role's budget: the only door the rest of the extension uses.
 *
 * Knows no query trees.
 */
#ifndef DP_BUDGET_CLIENT_H
#define DP_BUDGET_CLIENT_H

#include "postgres.h"

#include "accounting/curve.h"
#include "accounting/filter.h"

/* Longest description of a statement's releases, in bytes with terminator. */
#define DP_CHARGE_RELEASES_MAX 8192

typedef struct DpCharge
{
	Oid			role;			/* who pays */
	const char *dataset;		/* at most NAMEDATALEN - 1 bytes */
	DpCurve		cost;			/* of the whole statement */
	const char *releases;		/* JSON array for the ledger */
} DpCharge;

/* The row of the budget table as the charge found or left it. */
typedef struct DpBalance
{
	DpLimit		limit;
	DpCurve		spent;
} DpBalance;

/*
 * Compose the charge into the budget of (role, dataset) and commit it durably
 * in a transaction of its own, which nothing the caller does can undo.
 *
 * Returns true if the charge was admitted and is durable; *balance then holds
 * the totals after it.  Returns false if the budget does not admit it; the
 * refusal is in the ledger, nothing is spent, *balance holds the totals.
 * A return by error means: no permission to release (the charge may stand).
 *
 * Errors: 42501 no budget row; 54000 description too long; 55000 library not
 * preloaded; 55P03 budget row locked or dp_agg.charge_timeout; 25006 hot standby;
 * 53000/57P03/58000 keeper cannot be started or was lost.
 */
extern bool dp_budget_charge(const DpCharge *charge, DpBalance *balance);

/*
 * Read the committed budget of (role, dataset) without charging, by the
 * latest snapshot and without a permission check.  False if there is none.
 */
extern bool dp_budget_peek(Oid role, const char *dataset, DpBalance *balance);

/* Shared-memory request and startup, settings, worker entry; from _PG_init. */
extern void dp_budget_init(void);

#endif							/* DP_BUDGET_CLIENT_H */
