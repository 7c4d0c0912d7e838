/* SPDX-License-Identifier: PostgreSQL */
/*
 * policy_warning.h
 *	  Policies of row security that no question can be asked under.
 */
#ifndef DP_STATEMENT_POLICY_WARNING_H
#define DP_STATEMENT_POLICY_WARNING_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "tree/reason.h"

/*
 * Why a statement is not allowed that was read with these policies (row_security.h): the reason given, or that of one
 * of them by its name, if it is not allowed by itself.
 */
extern const DpReason *dp_statement_name_policy(const DpReason *reason, List *applied);

/*
 * Why a statement is not allowed that was read with these: what they take from protected rows is of the person whose
 * row it is, and is not released.  NULL if it is.
 */
extern const DpReason *dp_statement_check_policies(List *applied);

/* Warn of the policies of a table that nobody can ask it under, if it is protected and has row security. */
extern void dp_statement_warn_of_policies(Oid relid);

/* The same of a table that a command gave policies, or row security. */
extern void dp_statement_warn_of_policies_by(Node *command);

#endif							/* DP_STATEMENT_POLICY_WARNING_H */
