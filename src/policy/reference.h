/* SPDX-License-Identifier: PostgreSQL */
/*
 * reference.h
 *	  Columns of public tables that list the keys of protected ones.
 */
#ifndef DP_POLICY_REFERENCE_H
#define DP_POLICY_REFERENCE_H

#include "postgres.h"

#include "access/attnum.h"

#include "tree/reason.h"

/*
 * Why a column, of a table that is locked, cannot list the keys of another: it is not of
 * its type, not unique, or not of a table that is public; NULL if it can.
 */
extern DpReason *dp_policy_reference_obstacle(Oid target, AttrNumber number, Oid relid, AttrNumber column);

#endif							/* DP_POLICY_REFERENCE_H */
