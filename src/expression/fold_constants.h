/* SPDX-License-Identifier: PostgreSQL */
/*
 * fold_constants.h
 *	  Reducing expressions at planning time.
 */
#ifndef DP_EXPRESSION_FOLD_CONSTANTS_H
#define DP_EXPRESSION_FOLD_CONSTANTS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * A copy of an expression with join aliases (if block is given), bound
 * parameters and constant subexpressions replaced by what they stand for.
 * Returns NULL and sets *reason if code that is not built in stands in it: that would
 * be run, or written into the plan, by folding.
 */
extern Node *dp_expression_fold(Query *block, Node *expr, ParamListInfo params, DpReason **reason);

/* A copy of an expression with bound parameters replaced by constants. */
extern Node *dp_expression_bind(Node *node, ParamListInfo params);

/*
 * Part of an expression, or of a list of such, that would run code which is not built
 * in: a function, a cast to a domain, a value of a type whose functions somebody wrote;
 * or NULL.  Nothing is evaluated, and queries within are not looked into.
 */
extern DpReason *dp_expression_foreign_code(Node *expr);

/* Does a function depend on settings alone, and is computed of constants by dp_expression_fold? */
extern bool dp_expression_depends_on_settings(Oid function);

/*
 * Reduce an expression that must be constant (bounds, epsilon) to a Const:
 * bound parameters replaced, constant subexpressions folded.  NULL if it does
 * not reduce to one.
 */
extern Const *dp_expression_constant(Node *expr, ParamListInfo params);

#endif							/* DP_EXPRESSION_FOLD_CONSTANTS_H */
