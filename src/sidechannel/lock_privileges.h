/* SPDX-License-Identifier: PostgreSQL */
/*
 * lock_privileges.h
 *	  Rights on tables and databases before locks on them.
 */
#ifndef DP_SIDECHANNEL_LOCK_PRIVILEGES_H
#define DP_SIDECHANNEL_LOCK_PRIVILEGES_H

#include "postgres.h"

#include "nodes/nodes.h"

/* May a command lock something before PostgreSQL looks at rights on it? */
extern bool dp_sidechannel_needs_rights(Node *command);

/*
 * Raise the error that PostgreSQL will raise for such a command, if the current user
 * has not the rights on a table that it names beside its own, or on a database.  It is
 * raised before the command asks for a lock that would stop everybody else while it
 * waits.  Names of tables in the command are given their schemas.
 */
extern void dp_sidechannel_check_rights(Node *command);

#endif							/* DP_SIDECHANNEL_LOCK_PRIVILEGES_H */
