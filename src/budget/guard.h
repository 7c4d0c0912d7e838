/* SPDX-License-Identifier: PostgreSQL */
/*
 * guard.h
 *	  What is done to the tables otherwise than through the extension's functions.
 */
#ifndef DP_BUDGET_GUARD_H
#define DP_BUDGET_GUARD_H

#include "postgres.h"

#include "catalog/objectaccess.h"

#include "budget/rows/ledger.h"

/*
 * Refuse triggers, foreign keys and rules on the extension's tables, unless a superuser
 * makes them: whatever runs beside what the extension writes runs with its rights.  For the
 * object access hook.
 */
extern void dp_budget_guard_attachment(ObjectAccessType access, Oid classid, Oid objectid);

/*
 * A statement of ours on one row of the budget table.  It passes the guards once, and
 * so does its row: nothing that runs while it does, such as a trigger of others, passes
 * by it; and if something has, the statement itself does not.
 */
typedef struct DpGuardPass
{
	Oid			role;
	const char *dataset;
	int			open;			/* what has not passed yet, of guard.c */
	struct DpGuardPass *outer;
} DpGuardPass;

/* Let a statement pass that sets, resets or drops a budget or cap; until it is closed. */
extern void dp_budget_guard_open(DpGuardPass *pass, DpEvent event, Oid role, const char *dataset);
extern void dp_budget_guard_close(const DpGuardPass *pass);

#endif							/* DP_BUDGET_GUARD_H */
