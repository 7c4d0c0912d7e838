/* SPDX-License-Identifier: PostgreSQL */
/*
 * plainer.h
 *	  Calls that stand for expressions of plainer functions.
 */
#ifndef DP_EXPRESSION_PLAINER_H
#define DP_EXPRESSION_PLAINER_H

#include "postgres.h"

#include "nodes/primnodes.h"

/*
 * The same in functions that the allow-list may have, or NULL if this is no call that stands
 * for such.  What comes of it is to be validated like anything else.
 */
extern Node *dp_expression_plainer(FuncExpr *call);

/*
 * Operators of ranges that stand for comparisons of their bounds.
 */

/*
 * The same in operators that the allow-list may have, or NULL if this is none that stands for
 * such.  What comes of it is to be validated like anything else.
 */
extern Node *dp_expression_plainer_operator(OpExpr *call);

/* lower(text), under a collation. */
extern Node *dp_expression_lowered(Node *text, Oid collation);

/* ILIKE with a constant list of patterns, ANY or ALL, as LIKE of what is folded; any other call as it is. */
extern ScalarArrayOpExpr *dp_expression_plainer_array_operator(ScalarArrayOpExpr *call);

/* Is it a function like tsrange(a, b), with or without '[]' behind? */
extern bool dp_expression_makes_range(Oid function);

/* A path of constants into jsonb, as doc['a'][1], as a call that extracts it; NULL for other subscripts. */
extern Node *dp_expression_plainer_subscript(const SubscriptingRef *subscripts);

#endif							/* DP_EXPRESSION_PLAINER_H */
