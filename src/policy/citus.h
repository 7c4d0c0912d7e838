/* SPDX-License-Identifier: PostgreSQL */
/*
 * citus.h
 *	  Tables that Citus distributes, which no release may read.
 */
#ifndef DP_POLICY_CITUS_H
#define DP_POLICY_CITUS_H

#include "postgres.h"

#include "utils/rel.h"

#include "tree/reason.h"

/* Why nothing that is protected may be read from this table, or NULL if Citus does not know it. */
extern DpReason *dp_policy_citus_obstacle(Oid relid);

/* The same for all tables that exact queries read; the reason has this location. */
extern DpReason *dp_policy_check_citus(List *queries, int location);

#endif							/* DP_POLICY_CITUS_H */
