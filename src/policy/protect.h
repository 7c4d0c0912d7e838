/* SPDX-License-Identifier: PostgreSQL */
/*
 * protect.h
 *	  Declaring protection: the label provider, dp_agg.protect, dp_agg.unprotect
 *	  and what the view dp_agg.protected_tables is made of.
 */
#ifndef DP_POLICY_PROTECT_H
#define DP_POLICY_PROTECT_H

#include "postgres.h"

#include "utils/rel.h"

/*
 * Open a relation to change what is declared of it.  Owner only; the lock is kept
 * until the end of the transaction.
 */
extern Relation dp_policy_open_owned(Oid relid, const char *caller);

/* Register the label provider; from _PG_init. */
extern void dp_policy_policy_init(void);

#endif							/* DP_POLICY_PROTECT_H */
