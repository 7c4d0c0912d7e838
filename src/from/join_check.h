/* SPDX-License-Identifier: PostgreSQL */
/*
 * join_check.h
 *	  Which joins protected rows may take part in.
 */
#ifndef DP_FROM_JOIN_CHECK_H
#define DP_FROM_JOIN_CHECK_H

#include "postgres.h"

#include "from/from_item.h"

/*
 * Is every row of this join made of rows of one unit, and of at most one row of
 * each item for each row of one of them?  Sets what its rows contribute.
 */
extern DpReason *dp_from_link(List *leaves, List *conditions, int location,
							  DpContribution *contribution);

/* The protected items that are joined to the first that keeps its rows by their units, that one included; or NIL. */
extern List *dp_from_find_linked(List *leaves, List *equalities);

#endif							/* DP_FROM_JOIN_CHECK_H */
