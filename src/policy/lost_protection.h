/* SPDX-License-Identifier: PostgreSQL */
/*
 * lost_protection.h
 *	  Warnings where protection does not go along with what people do to tables.
 *
 * A label belongs to its column, not to the name of its table.  A table that is put in a
 * protected one's place is not protected: nobody is answered who has no right to read it.
 */
#ifndef DP_POLICY_LOST_PROTECTION_H
#define DP_POLICY_LOST_PROTECTION_H

#include "postgres.h"

#include "catalog/objectaccess.h"
#include "nodes/nodes.h"

/*
 * An object is being dropped.  Warns if it is the extension while there are labels, or the column
 * that protects a table; remembers the name of a protected table.
 */
extern void dp_policy_note_drop(Oid classid, Oid objectid, int column, const ObjectAccessDrop *drop);

/* Remember the names of protected tables that a statement is going to rename or move. */
extern void dp_policy_note_renaming(Node *statement);

/*
 * After a statement: warn of tables without protection that have a remembered name.  Each name is warned
 * of once, and remembered as long as the session.
 */
extern void dp_policy_warn_of_successors(void);

#endif							/* DP_POLICY_LOST_PROTECTION_H */
