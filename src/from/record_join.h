/* SPDX-License-Identifier: PostgreSQL */
/*
 * record_join.h
 *	  Joins of protected tables by the key of a record, which is one unit's.
 */
#ifndef DP_FROM_RECORD_JOIN_H
#define DP_FROM_RECORD_JOIN_H

#include "postgres.h"

#include "from/from_item.h"

/*
 * An equality between the unit of an item, which is not joined by its unit, and that of
 * one of these that keep their rows.  There is one if each row of one has at most one
 * of the other by a unique key; else NULL.
 */
extern Node *dp_from_equate_units(const DpFromItem *leaf, List *leaves, List *equalities);

#endif							/* DP_FROM_RECORD_JOIN_H */
