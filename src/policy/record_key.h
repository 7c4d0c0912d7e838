/* SPDX-License-Identifier: PostgreSQL */
/*
 * record_key.h
 *	  By which columns a row of a protected table finds a record of the same unit.
 */
#ifndef DP_POLICY_RECORD_KEY_H
#define DP_POLICY_RECORD_KEY_H

#include "postgres.h"

#include "utils/rel.h"

/*
 * Columns of a table that hold a unique key of a protected table.  The row of a table whose columns these
 * are has the same unit as the row with this key, which is that row itself or one that it refers to.
 */
typedef struct DpRecordKey
{
	Oid			relid;			/* the protected table that has the key */
	int			ncolumns;
	AttrNumber	keys[INDEX_MAX_KEYS];	/* of that table, in ascending order */
	AttrNumber	columns[INDEX_MAX_KEYS];	/* that hold them, in the same order */
} DpRecordKey;

/*
 * The record keys (DpRecordKey) of a table, which is locked: its own unique keys, and those to which enforced
 * foreign keys lead that prove the unit to be the same; NIL if it is not protected.  Only those of which all columns
 * are among these, unless that is NULL.  Columns may be NULL, which equals no key.  Locks the tables that foreign keys lead to until the end of the transaction.
 *
 * No guarantee may rest on that: an older snapshot can see rows of before a key was made.  It says what a query
 * means to whom the tables' owner shows her keys.
 */
extern List *dp_policy_record_keys(Relation relation, const Bitmapset *columns);

#endif							/* DP_POLICY_RECORD_KEY_H */
