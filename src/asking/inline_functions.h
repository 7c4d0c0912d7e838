/* SPDX-License-Identifier: PostgreSQL */
/*
 * inline_functions.h
 *	  SQL functions that stand for a query.
 */
#ifndef DP_ASKING_INLINE_FUNCTIONS_H
#define DP_ASKING_INLINE_FUNCTIONS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

/*
 * The statement with SQL functions in FROM replaced by their bodies
 * where these call our functions; otherwise the statement itself.  Sets what a
 * plan of it depends on besides.
 */
extern Query *dp_asking_expand_functions(Query *query, ParamListInfo params, List **dependencies);

#endif							/* DP_ASKING_INLINE_FUNCTIONS_H */
