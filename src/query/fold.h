/*
 * fold.h
 *	  Reducing expressions at planning time.
 */
#ifndef DP_QUERY_FOLD_H
#define DP_QUERY_FOLD_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "query/reason.h"

/*
 * A copy of an expression with join aliases (if block is given), bound
 * parameters and constant sub-expressions replaced by what they stand for.
 * Returns NULL and sets *reason if a function that is not built in stands in
 * it: that would be run, or written into the plan, by folding.
 */
extern Node *dp_query_fold(Query *block, Node *expr, ParamListInfo params, DpReason **reason);

#endif							/* DP_QUERY_FOLD_H */
