/* SPDX-License-Identifier: PostgreSQL */
/*
 * role.h
 *	  A role that has a budget cannot be dropped, in whatever database it has it.
 *
 * Budgets refer to roles by number.  Were the role dropped, its number could be
 * given to another one day, which would then spend a stranger's budget.
 */
#ifndef DP_BUDGET_ACCOUNT_ROLE_H
#define DP_BUDGET_ACCOUNT_ROLE_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"

/*
 * Hold and release a role one after another.  Lock order: whether charges are
 * decided, budget table, role, budget rows; whoever is to change rows of a role
 * takes these locks before.  What is locked of a role is its entry in pg_shdepend,
 * as a row: the table of locks has room for as many roles as there are.
 */
extern void dp_budget_role_lock(Oid role);

/*
 * Keep a role that gets a budget from being dropped, at once and after the current
 * transaction commits.  Raises 42704 if it was dropped.  A transaction that gives a
 * first budget to more roles than max_locks_per_transaction keeps all roles from being
 * created, altered and dropped until it ends.
 */
extern void dp_budget_role_hold(Oid role);

/*
 * Let it be dropped again, if it has no budget left in this database; for who
 * has locked it.
 */
extern void dp_budget_role_release(Oid role);

/*
 * Run a command that drops roles.  The error that PostgreSQL raises if one of them has a budget in this database
 * gets a hint.
 */
extern void dp_budget_role_drop(const DropRoleStmt *command, void (*run) (void *arg), void *arg);

/*
 * The role of a name, or InvalidOid.  Keeps nothing in the session's caches: for who
 * looks up as many names as there are budgets.
 */
extern Oid	dp_budget_role_named(const char *name);

/*
 * Roles that may be pools of a role's, or whose budgets it may see: all it is a
 * member of, by whatever way, itself first.  Whether it has their privileges
 * remains to be asked.  Looks up as many catalog entries as it has memberships,
 * whatever budgets there are.
 */
extern List *dp_budget_role_memberships(Oid role);

/*
 * The role that asks, and sees what is its own: the one outside of security definer functions.  In a
 * security-restricted operation (REFRESH, ANALYZE, REINDEX, autovacuum) it is the one whose code runs: whoever
 * gave the command, or the server itself, shows it nothing.
 */
extern Oid	dp_budget_role_asking(void);

/*
 * May the current user read all rows of a table of ours?  Then views and functions that are made of the
 * table show all as well: an auditor's right is SELECT on it.
 */
extern bool dp_budget_role_may_read(Oid table);

#endif							/* DP_BUDGET_ACCOUNT_ROLE_H */
