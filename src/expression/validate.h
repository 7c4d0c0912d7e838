/* SPDX-License-Identifier: PostgreSQL */
/*
 * validate.h
 *	  Which expressions may touch protected rows: an allow-list.
 */
#ifndef DP_EXPRESSION_VALIDATE_H
#define DP_EXPRESSION_VALIDATE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"
#include "tree/statement.h"

/*
 * Make an expression over one block's rows fit to run in the exact query: replace join
 * aliases, bound parameters and constant subexpressions by what they stand for, then
 * admit only node types, functions, types and collations on the allow-list.  Works on a
 * copy.
 *
 * Returns the expression (NULL for NULL).  Where it is not allowed, returns NULL and
 * sets *reason; the reason depends on the text alone.  An error that a constant
 * subexpression raises, such as 1 / 0, depends on the text alone as well.
 */
extern Node *dp_expression_validate_expression(Query *block, Node *expr, const DpStatement *statement,
											   DpReason **reason);

#endif							/* DP_EXPRESSION_VALIDATE_H */
