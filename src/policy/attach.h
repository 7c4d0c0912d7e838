/* SPDX-License-Identifier: PostgreSQL */
/*
 * attach.h
 *	  Who may attach what to a protected table.
 */
#ifndef DP_POLICY_ATTACH_H
#define DP_POLICY_ATTACH_H

#include "postgres.h"

#include "catalog/objectaccess.h"
#include "nodes/parsenodes.h"

/*
 * Something has been made or altered, but not yet for others to see.  Raise an error
 * (42501) if it is attached to a protected table, a child of one, one of the
 * extension's own, or a view that reads one.  It is allowed if both the current user
 * and the role that asks in truth have the right that PostgreSQL's own command demands.
 *
 * This holds for triggers, rules, policies, constraints, foreign keys that refer to
 * such a table, defaults, columns, indexes, statistics, publications, children and
 * parents, whoever makes them and by whatever function.  It also holds for views, which
 * read with their owner's rights: the role that asks for one must have these rights, or
 * may read the rows.  What is attached to a child as it is to its parent, an index like
 * one that is there, and PostgreSQL's own triggers of a constraint add nothing.
 */
extern void dp_policy_check_attached(ObjectAccessType access, Oid classid, Oid objectid, int column,
									 const void *details);

/*
 * The same of a domain that a column of such a table has: for a constraint, which is checked against its rows
 * at once, and again when it is validated, and for a default.
 */
extern void dp_policy_check_domain(const AlterDomainStmt *command);

/*
 * Warn if a role that is neither owner nor superuser controls something that is
 * attached to a table, or to a child of it, already: a function that it calls, or a
 * table that it is there for.
 */
extern void dp_policy_warn_of_hands(Oid relid);

/* Has one such a role control of something that is attached to this table itself? */
extern bool dp_policy_others_have_a_hand(Oid relid);

#endif							/* DP_POLICY_ATTACH_H */
