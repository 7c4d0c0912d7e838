/* SPDX-License-Identifier: PostgreSQL */
/*
 * birth.h
 *	  Telling a database from copies that were made of it as a template.
 *
 * A database that has budgets has a number of its own, in a security label of the
 * database itself.  CREATE DATABASE copies all that is in a template, and lets its
 * caller choose the name and the OID; but a label stands in a catalog of the whole
 * cluster.  It is not copied, and goes when its database is dropped.  Standbys and
 * backups have it, and a new name or tablespace leaves it as it is.
 */
#ifndef DP_BUDGET_ACCOUNT_BIRTH_H
#define DP_BUDGET_ACCOUNT_BIRTH_H

#include "postgres.h"

/* Have SECURITY LABEL ask us.  From _PG_init. */
extern void dp_budget_birth_init(void);

/* The number of this database; 0 if it has none, as a new copy. */
extern uint64 dp_budget_birth_number(void);

/* The same, and have it get one with this transaction if it has none. */
extern uint64 dp_budget_birth_settle(void);

/* Take the number away, with this transaction: budgets go. */
extern void dp_budget_birth_forget(void);

#endif							/* DP_BUDGET_ACCOUNT_BIRTH_H */
