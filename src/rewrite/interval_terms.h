/* SPDX-License-Identifier: PostgreSQL */
/*
 * interval_terms.h
 *	  dp_interval of arithmetic on released values, wherever in a statement it stands.
 */
#ifndef DP_REWRITE_INTERVAL_TERMS_H
#define DP_REWRITE_INTERVAL_TERMS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/statement.h"

/*
 * Have calls of dp_interval whose argument is no aggregate of ours read its term (rewrite/term.h), in place.
 * Subqueries whose columns it is made of get columns for theirs, which nothing else reads.  Calls on what is
 * not released are left for their caller to refuse.
 */
extern DpReason *dp_rewrite_expand_intervals(Query *query, DpStatement *statement);

#endif							/* DP_REWRITE_INTERVAL_TERMS_H */
