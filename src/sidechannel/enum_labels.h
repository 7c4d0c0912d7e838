/*
 * enum_labels.h
 *	  The enums that an exact plan knows.
 *
 * Comparing two labels looks them up, but not always, and fails if their type is gone;
 * showing one looks up that one: what a row came that far with would show, by an error
 * or by what the session need not look up again.  So nothing is read before it is
 * certain that the types are there and stay, and all their labels have been looked up.
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

/* Have the labels of these types, and their order, in the session's caches. */
extern void dp_sidechannel_look_up_labels(List *types);

#endif							/* DP_SIDECHANNEL_ENUM_LABELS_H */
