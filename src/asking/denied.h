/* SPDX-License-Identifier: PostgreSQL */
/*
 * denied.h
 *	  What a role is told that may not read protected rows.
 */
#ifndef DP_ASKING_DENIED_H
#define DP_ASKING_DENIED_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Raise PostgreSQL's own error, with a hint that names an aggregate which would be answered,
 * if a statement reads protected rows as they are which the role may not read, and the role
 * has a budget for them.  Others get that error when the statement starts.
 */
extern void dp_asking_explain_denial(Query *query);

/* Raise the same if it copies a protected table to the client of which the role may not read one column. */
extern void dp_asking_explain_copy(const CopyStmt *copy);

#endif							/* DP_ASKING_DENIED_H */
