/* SPDX-License-Identifier: PostgreSQL */
/*
 * obstacle.h
 *	  What a table and a column have to be to be protected, and still to be when they are read.
 */
#ifndef DP_POLICY_OBSTACLE_H
#define DP_POLICY_OBSTACLE_H

#include "postgres.h"

#include "access/attnum.h"
#include "tree/reason.h"
#include "utils/rel.h"

/*
 * Reason why `unit` cannot be the privacy unit of this relation; NULL if nothing does.
 * The reason has no location.  The caller holds a lock on the relation that keeps it
 * from gaining children: any lock will do for the rest of a planned statement, which is
 * planned again when that happens.
 */
extern DpReason *dp_policy_obstacle(Relation relation, AttrNumber unit);

#endif							/* DP_POLICY_OBSTACLE_H */
