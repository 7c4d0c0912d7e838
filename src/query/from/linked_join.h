/*
 * linked_join.h
 *	  Tables that have no unit of their own: their rows belong to the unit of the
 *	  row that a foreign key refers to, which may belong to another's in turn.
 */
#ifndef DP_QUERY_FROM_LINKED_JOIN_H
#define DP_QUERY_FROM_LINKED_JOIN_H

#include "postgres.h"

#include "access/attnum.h"
#include "utils/rel.h"

#include "query/from/join_check.h"
#include "query/nodes/reason.h"
#include "query/policy/policy.h"

/* The foreign key by which rows of a table find their unit. */
struct DpForeignKey
{
	Oid			parent;			/* protected table that it refers to */
	int			ncolumns;
	AttrNumber	columns[INDEX_MAX_KEYS];	/* that refer, never null */
	AttrNumber	keys[INDEX_MAX_KEYS];	/* of the parent, a unique key */
	Oid			operators[INDEX_MAX_KEYS];	/* key = column */
	bool		is_old;			/* have all keys on the way been unique for long? */
};

/*
 * foreign_key.c: do foreign keys that hold for every row lead from a linked table to
 * one with a unit of its own, all in one data set, and may each table's owner read
 * what is next?  Sets the first of them, and whether no two rows of the table share a
 * unit.  Locks what they lead to until the end of the transaction.  The reason, if
 * they do not, has no location.
 */
extern DpReason *dp_query_follow_links(Relation relation, const DpPolicy *policy,
									   DpForeignKey *link, bool *row_is_unit);

/*
 * linked_join.c: do rows of this item belong to the unit of the others' rows because a
 * foreign key says so?  `others` are known to be of one unit.
 */
extern bool dp_query_shares_key(const DpLeaf *leaf, List *others, List *equalities);

/*
 * linked_join.c: where no item that keeps its rows has a column with their unit, the one
 * whose parent has to be joined too; else NULL.
 */
extern DpLeaf *dp_query_lacks_unit(List *leaves, List *conditions);

/*
 * linked_join.c: enter the parent of an item in its query's range table; returns its number
 * there, and what joins it.
 */
extern Index dp_query_add_parent(const DpLeaf *leaf, Node **condition);

#endif							/* DP_QUERY_FROM_LINKED_JOIN_H */
