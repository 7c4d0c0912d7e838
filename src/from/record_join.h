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
 * An equality between the unit of an item, which is not joined by its unit, and that of one of those that are (`linked`)
 * or else of another that keeps its rows.  There is one if the rows of both have, or refer to, one record; else NULL.
 */
extern Node *dp_from_equate_units(const DpFromItem *leaf, List *leaves, List *linked, List *equalities);

/*
 * Why an item, which is not joined by its unit, cannot stand beside these others: what it is tied to may be of another
 * unit.  Names both units, and what can be done.  `location` is where FROM is, if the tie has no location.
 */
extern DpReason *dp_from_refuse_unlinked(const DpFromItem *unlinked, List *leaves, List *equalities, int location);

#endif							/* DP_FROM_RECORD_JOIN_H */
