/* SPDX-License-Identifier: PostgreSQL */
/*
 * reply.h
 *	  What came of a charge, on its way from a primary to its standby.
 *
 * Both have the same kind of machine, or one could not replay what the other writes.
 */
#ifndef DP_BUDGET_REPLICA_REPLY_H
#define DP_BUDGET_REPLICA_REPLY_H

#include "postgres.h"

#include "budget/keeper/client.h"

/* How many bytes of releases a call may have, and as much a worker puts into one unless a charge alone has more. */
#define DP_CALL_BYTES (1024 * 1024)

/* An answer as bytes, in which nothing else is. */
extern bytea *dp_budget_replica_reply_write(const DpChargeAnswer *answer);

/* Read them; false if they make no sense. */
extern bool dp_budget_replica_reply_read(const char *bytes, Size size, DpChargeAnswer *answer);

#endif							/* DP_BUDGET_REPLICA_REPLY_H */
