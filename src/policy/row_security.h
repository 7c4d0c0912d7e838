/* SPDX-License-Identifier: PostgreSQL */
/*
 * row_security.h
 *	  Protected tables with row security are read under the policies of whoever reads them.
 */
#ifndef DP_POLICY_ROW_SECURITY_H
#define DP_POLICY_ROW_SECURITY_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "utils/relcache.h"

/*
 * A statement with each protected table that policies choose rows of replaced by a subquery, which has them as its
 * conditions: those that apply now, whatever the statement was rewritten with.  Itself if there is none.  It stays
 * as it is where rows are locked or changed, sampled, or asked for columns that only tables have.
 *
 * What is replaced is appended to `applied`: see dp_policy_row_security_is.
 */
extern Query *dp_policy_read_row_security(Query *query, List **applied);

/* Are policies, those of roles too, as they were when a statement was read? */
extern bool dp_policy_row_security_is(List *applied);

/* The tables that these policies are of, each once: a list of OIDs. */
extern List *dp_policy_tables_with_policies(List *applied);

/* Say of a table in FROM that it has been seen to which of its rows are read. */
extern void dp_policy_settle_row_security(RangeTblEntry *rte);

/* Are there policies that choose rows of a table in FROM, but are not seen to? */
extern bool dp_policy_row_security_is_open(Query *query, RangeTblEntry *rte, Relation relation);

/* A policy of a table that lets roles read it, and what it demands: a condition on the table, which is the first. */
typedef struct DpRowPolicy
{
	const char *name;
	Node	   *condition;
	bool		has_sublinks;
} DpRowPolicy;

/* Those that are for some role to read by; or for the current one alone, if `mine`. */
extern List *dp_policy_row_policies(Relation relation, bool mine);

/* What warns of policies of a table that nobody can ask it under: it takes more than this room knows. */
typedef void (*DpWarnOfPolicies) (Oid relid);

extern void dp_policy_set_warn_of_policies(DpWarnOfPolicies warn);

/* Have it do so, if it is set. */
extern void dp_policy_warn_of_policies(Oid relid);

#endif							/* DP_POLICY_ROW_SECURITY_H */
