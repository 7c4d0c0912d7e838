/* SPDX-License-Identifier: PostgreSQL */
/*
 * children.h
 *	  Tables that inherit from a protected one, whose rows it is read with.
 */
#ifndef DP_POLICY_CHILDREN_H
#define DP_POLICY_CHILDREN_H

#include "postgres.h"

#include "tree/reason.h"
#include "utils/rel.h"

/*
 * Reason why a plain table cannot be protected together with its inheritance children, or NULL.  The
 * children that are there are locked until the transaction ends, unless nothing has changed since all
 * were found fit.
 */
extern DpReason *dp_policy_children_obstacle(Relation root);

/* Is a table protected, or something that it inherits from or is a partition of? */
extern bool dp_policy_has_protected_rows(Relation relation);

#endif							/* DP_POLICY_CHILDREN_H */
