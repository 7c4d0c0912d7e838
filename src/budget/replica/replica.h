/* SPDX-License-Identifier: PostgreSQL */
/*
 * replica.h
 *	  The background worker that has requests charged on the primary: one per
 *	  database of a standby, launched on demand, gone when idle or when the
 *	  standby is promoted.
 */
#ifndef DP_BUDGET_REPLICA_REPLICA_H
#define DP_BUDGET_REPLICA_REPLICA_H

#include "postgres.h"

extern PGDLLEXPORT void dp_budget_replica_main(Datum database);

#endif							/* DP_BUDGET_REPLICA_REPLICA_H */
