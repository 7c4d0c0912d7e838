/* SPDX-License-Identifier: PostgreSQL */
/*
 * enum_labels.h
 *	  The enums that an exact plan knows.
 *
 * Comparing enum labels reads pg_enum lazily and fails if the type was dropped, and
 * showing a label reads that one.  Either would reveal that a row got that far, by an
 * error or by what the session need not read again.  So nothing is read before it is
 * certain that the types are there and stay, and all their labels are in the session's
 * caches.
 */
#ifndef DP_SIDECHANNEL_ENUM_LABELS_H
#define DP_SIDECHANNEL_ENUM_LABELS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* The enums among the types of columns and constants of a query, as OIDs. */
extern List *dp_sidechannel_enums_of(Query *query);

/*
 * Keep these types until the transaction ends: other sessions by a lock, and this one's
 * own code does not run while an exact plan does.  Raises an error (42704) if one is
 * gone.
 */
extern void dp_sidechannel_hold_enums(List *types);

/* Read the labels of these types, and their order, into the session's caches. */
extern void dp_sidechannel_look_up_labels(List *types);

#endif							/* DP_SIDECHANNEL_ENUM_LABELS_H */
