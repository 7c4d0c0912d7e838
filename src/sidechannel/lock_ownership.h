/* SPDX-License-Identifier: PostgreSQL */
/*
 * lock_ownership.h
 *	  Ownership of objects of every kind before locks on them.
 */
#ifndef DP_SIDECHANNEL_LOCK_OWNERSHIP_H
#define DP_SIDECHANNEL_LOCK_OWNERSHIP_H

#include "postgres.h"

#include "nodes/nodes.h"

/* Does PostgreSQL lock what a command names before it asks whose it is? */
extern bool dp_sidechannel_needs_owner(Node *command);

/*
 * Raise the error that PostgreSQL will raise for such a command, if the current user
 * does not own what it names.  Names in the command are given their schemas.
 */
extern void dp_sidechannel_check_owner(Node *command);

#endif							/* DP_SIDECHANNEL_LOCK_OWNERSHIP_H */
