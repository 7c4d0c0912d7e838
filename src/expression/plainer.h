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
extern Node *dp_query_plainer(FuncExpr *call);

#endif							/* DP_EXPRESSION_PLAINER_H */
