/* SPDX-License-Identifier: PostgreSQL */
/*
 * interval_terms.h
 *	  dp_interval of arithmetic on released values, wherever in a statement it stands.
 */
#ifndef DP_REWRITE_INTERVAL_TERMS_H
#define DP_REWRITE_INTERVAL_TERMS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"
#include "tree/statement.h"

/*
 * Have calls of dp_interval whose argument is no aggregate of ours read its term (rewrite/term.h), in place.
 * Subqueries whose columns it is made of get columns for theirs, which nothing else reads.  Calls on what is
 * not released are left for their caller to refuse.
 */
extern DpReason *dp_rewrite_expand_intervals(Query *query, DpStatement *statement);

/*
 * The term of an expression of the innermost of these levels (of Query), for a notice that nobody asked for; NULL if it has none,
 * and then subqueries may have got columns that nothing reads.  It is NULL as a value where an aggregate has no term.
 */
extern Node *dp_rewrite_noted_term(Node *node, List *levels);

/* Does an expression show an aggregate of ours as it is, but for conversions and rounding, or nothing that is released? */
extern bool dp_rewrite_is_answer(Node *node, List *levels);

#endif							/* DP_REWRITE_INTERVAL_TERMS_H */
