/* SPDX-License-Identifier: PostgreSQL */
/*
 * linked_join.h
 *	  Tables that have no unit of their own: their rows belong to the unit of the
 *	  row that a foreign key refers to, which may belong to another's in turn.
 */
#ifndef DP_FROM_LINKED_JOIN_H
#define DP_FROM_LINKED_JOIN_H

#include "postgres.h"

#include "from/from_item.h"

/*
 * linked_join.c: do rows of this item belong to the unit of the others' rows because a
 * foreign key says so?  `others` are known to be of one unit.
 */
extern bool dp_from_shares_key(const DpFromItem *leaf, List *others, List *equalities);

/*
 * linked_join.c: where no item that keeps its rows has a column with their unit, the one
 * whose parent has to be joined too; else NULL.
 */
extern DpFromItem *dp_from_lacks_unit(List *leaves, List *conditions);

/*
 * linked_join.c: of these, the item that holds the row which an item's foreign key refers to, and keeps its rows:
 * because the equalities say so, or what follows from them; or NULL.
 */
extern DpFromItem *dp_from_find_parent(const DpFromItem *leaf, List *leaves, List *equalities);

/* linked_join.c: the condition that joins an item with what its foreign key refers to. */
extern Node *dp_from_by_link(const DpFromItem *leaf, Index parent);

/*
 * linked_join.c: enter the parent of an item in its query's range table; returns its number
 * there, and what joins it.
 */
extern Index dp_from_add_parent(const DpFromItem *leaf, Node **condition);

#endif							/* DP_FROM_LINKED_JOIN_H */
