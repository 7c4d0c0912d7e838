/* SPDX-License-Identifier: PostgreSQL */
/*
 * foreign_key.h
 *	  The foreign keys by which tables without a unit of their own find it.
 */
#ifndef DP_POLICY_FOREIGN_KEY_H
#define DP_POLICY_FOREIGN_KEY_H

#include "postgres.h"

#include "policy/policy.h"

/* The foreign key by which rows of a table find their unit. */
typedef struct DpForeignKey
{
	Oid			parent;			/* protected table that it refers to */
	int			ncolumns;
	AttrNumber	columns[INDEX_MAX_KEYS];	/* that refer, never null */
	AttrNumber	keys[INDEX_MAX_KEYS];	/* of the parent, a unique key */
	Oid			operators[INDEX_MAX_KEYS];	/* key = column */
	bool		is_old;			/* have all keys on the way been unique for long? */
} DpForeignKey;

/*
 * Do foreign keys that hold for every row lead from a linked table to
 * one with a unit of its own, all in one data set, and may each table's owner read
 * what is next?  Sets the first of them, and whether no two rows of the table share a
 * unit.  Locks what they lead to until the end of the transaction.  The reason, if
 * they do not, has no location.  `new_keys` is as for unique.h.
 */
extern DpReason *dp_policy_follow_links(Relation relation, const DpPolicy *policy,
										DpForeignKey *link, bool *row_is_unit, List **new_keys);

/*
 * The foreign keys (DpForeignKey) of a protected table by which each row refers to a row of the same unit, if no
 * column of them is NULL: the link of a linked table, and those of others from the unit's column, among more, to one
 * that holds the unit of the row referred to.  They are enforced for every row, and compare as the columns' types do.  Only
 * those with one of these columns, unless that is NULL.
 */
extern List *dp_policy_unit_links(Relation relation, const DpPolicy *policy, const Bitmapset *columns);

/* The column of a foreign key that refers to this key of the parent, or InvalidAttrNumber. */
extern AttrNumber dp_policy_column_for(const DpForeignKey *link, AttrNumber key);

#endif							/* DP_POLICY_FOREIGN_KEY_H */
