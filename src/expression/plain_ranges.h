/*
 * plain_ranges.h
 *	  Operators of ranges that stand for comparisons of their bounds.
 */
#ifndef DP_EXPRESSION_PLAIN_RANGES_H
#define DP_EXPRESSION_PLAIN_RANGES_H

#include "postgres.h"

#include "nodes/primnodes.h"

/*
 * The same in operators that the allow-list may have, or NULL if this is none that stands for
 * such.  What comes of it is to be validated like anything else.
 */
extern Node *dp_query_plainer_operator(OpExpr *call);

/* Is it a function like tsrange(a, b), with or without '[]' behind? */
extern bool dp_query_makes_range(Oid function);

#endif							/* DP_EXPRESSION_PLAIN_RANGES_H */
