/* SPDX-License-Identifier: PostgreSQL */
/*
 * granted_reads.h
 *	  Warnings where roles are granted what protection is to keep from them.
 */
#ifndef DP_POLICY_GRANTED_READS_H
#define DP_POLICY_GRANTED_READS_H

#include "postgres.h"

#include "nodes/nodes.h"

/*
 * Warn if a command that was carried out granted SELECT on a protected table, on columns of it, or on a table
 * that inherits from it; one warning a table.
 */
extern void dp_policy_warn_of_grant(Node *command);

/* Warn of roles that may read a table that is being protected, but for its owner and superusers. */
extern void dp_policy_warn_of_readers(Oid relid);

#endif							/* DP_POLICY_GRANTED_READS_H */
