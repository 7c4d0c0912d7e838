/* SPDX-License-Identifier: PostgreSQL */
/*
 * unique.h
 *	  Does a table hold at most one row per privacy unit?
 */
#ifndef DP_POLICY_UNIQUE_H
#define DP_POLICY_UNIQUE_H

#include "postgres.h"

#include "utils/rel.h"

/*
 * Keys that are not old are entered in a list of Oid, `new_keys`, and those that are in it are taken as not
 * old; NULL: no list.  So a statement is rewritten again as it was, whichever snapshots ended meanwhile.
 *
 * Indexes have no rows of inheritance children: where there are any, nothing is unique.
 */

/*
 * Is it certain that no two rows a query sees share a unit?  True if a valid,
 * immediate, non-partial unique btree index covers exactly that column and
 * has held for longer than any snapshot in use anywhere.
 */
extern bool dp_policy_unit_is_unique(Relation relation, AttrNumber unit, List **new_keys);

/* And likewise of any column, but for rows that only older snapshots see? */
extern bool dp_policy_column_is_unique(Relation relation, AttrNumber column);

/* And without its inheritance children? */
extern bool dp_policy_column_is_unique_alone(Relation relation, AttrNumber column);

/*
 * Is an index a unique key of plain columns that is in force: no two rows
 * inserted from now on share it?
 */
extern bool dp_policy_key_is_in_force(Relation index);

/* And of a table without its inheritance children? */
extern bool dp_policy_key_is_in_force_alone(Relation index);

/* And has it been for longer than any snapshot in use anywhere? */
extern bool dp_policy_key_is_old(Relation index, Relation relation, List **new_keys);

/*
 * Columns that cannot be NULL, as they are declared NOT NULL; children need not be declared so.
 *
 * Statements are planned anew once a declaration is gone, of which PostgreSQL tells every session.
 */

/* Is this a column of a table that is declared NOT NULL? */
extern bool dp_policy_column_is_not_null(Relation relation, AttrNumber attno);

/* Is this a column, and no system column, of a table, which is locked, that is declared NOT NULL? */
extern bool dp_policy_is_declared_not_null(const RangeTblEntry *rte, AttrNumber attno);

/* Can an expression over a block's rows be NULL?  Where in doubt, yes. */
extern bool dp_policy_can_be_null(Query *query, Node *expr);

#endif							/* DP_POLICY_UNIQUE_H */
