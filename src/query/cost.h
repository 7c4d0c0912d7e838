/*
 * cost.h
 *	  What calls below a release cost a row at worst.
 */
#ifndef DP_QUERY_COST_H
#define DP_QUERY_COST_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "query/functions.h"

/* What a row may cost, in nanoseconds on the machine that costs were measured on. */
#define DP_MAX_COST 1000000.0

/* What each node of an expression costs, and a call that fails, in nanoseconds. */
#define DP_COST_OF_NODE 30.0
#define DP_COST_OF_FAILURE 2000.0

/* Fetching and decompressing a byte of a column's value, each time a function asks for it. */
#define DP_COST_OF_FETCHING 1.5

/* Hashing a byte of a key, and keeping it. */
#define DP_COST_OF_KEEPING 2.5

/* How often a value is compared where rows are sorted. */
#define DP_COMPARISONS 20

/* What comparing a byte under a collation costs. */
extern double dp_query_cost_of_order(Oid collation);

/*
 * What one call of a function costs, of arguments that are no longer than `sizes`, in
 * bytes; where they are guides (constants of text or arrays of them), what is in them counts.
 */
extern double dp_query_cost_of_call(DpCostClass cost, List *args, const Size *sizes,
									Oid collation);

#endif							/* DP_QUERY_COST_H */
