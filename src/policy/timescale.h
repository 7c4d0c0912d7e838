/* SPDX-License-Identifier: PostgreSQL */
/*
 * timescale.h
 *	  Hypertables of TimescaleDB, whose chunks are inheritance children.
 */
#ifndef DP_POLICY_TIMESCALE_H
#define DP_POLICY_TIMESCALE_H

#include "postgres.h"

#include "tree/reason.h"
#include "utils/rel.h"

/*
 * Reason why a release may not read a table with children because rows of a chunk of it lie where PostgreSQL's own
 * scans do not find them, or NULL.  Without TimescaleDB in the database there is none.
 */
extern DpReason *dp_policy_timescale_obstacle(Relation relation);

#endif							/* DP_POLICY_TIMESCALE_H */
