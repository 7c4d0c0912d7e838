/* SPDX-License-Identifier: PostgreSQL */
/*
 * null_on_error.h
 *	  Calling a partial function on protected values: NULL where it fails.
 */
#ifndef DP_EXPRESSION_NULL_ON_ERROR_H
#define DP_EXPRESSION_NULL_ON_ERROR_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * An expression that calls a partial function on these arguments and is NULL
 * where it raises an error of class 22 or 0A000.  `node` is the call it stands
 * for: of its type and collations, or a cast through `function` as output
 * function.
 *
 * Constant arguments that the function cannot work with are an error here and
 * now, if it has a subject: the one argument that may vary, else -1.
 */
extern Node *dp_expression_make_attempt(Node *node, Oid function, List *args, int subject);

/*
 * The same in the outer query: a call of a built-in function on values that the role
 * may see.  It has no limits of size.  Where it gives NULL for an error it says so,
 * once in a statement.  Returns the node itself if it cannot be wrapped.
 */
extern Node *dp_expression_try_above(Node *node, Oid function, List *args);

/* A statement is opened: such NULLs are told of again. */
extern void dp_expression_note_opening(void);

/* The function that such an expression calls, or InvalidOid for any other. */
extern Oid	dp_expression_attempted(Node *node);

/*
 * Is an exact plan run just now?  What detoasted() and its like require.
 */

/* Set by whoever runs one. */
extern bool dp_expression_release_running;

#endif							/* DP_EXPRESSION_NULL_ON_ERROR_H */
