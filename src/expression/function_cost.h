/* SPDX-License-Identifier: PostgreSQL */
/*
 * function_cost.h
 *	  Worst cost, for each row, of function calls in an exact query.
 */
#ifndef DP_EXPRESSION_FUNCTION_COST_H
#define DP_EXPRESSION_FUNCTION_COST_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "expression/allow_list.h"

/*
 * Limit for the cost of a row, in nanoseconds on the machine that costs were
 * measured on.
 */
#define DP_MAX_COST 1000000.0

/* Cost of each node of an expression, and of a call that fails, in nanoseconds. */
#define DP_COST_OF_NODE 30.0
#define DP_COST_OF_FAILURE 2000.0

/* Fetching and decompressing a byte of a column's value, each time a function asks for it. */
#define DP_COST_OF_FETCHING 1.5

/* Hashing a byte of a key, and keeping it. */
#define DP_COST_OF_KEEPING 2.5

/* Looking at an element of a list, and meeting another one in a hash table. */
#define DP_COST_OF_ELEMENT 30.0

/* A byte of a text that is split by a separator, or by a regular expression, may be a part. */
#define DP_COST_OF_PART 200.0
#define DP_COST_OF_MATCH 1400.0

/* Skipping a byte of an array, which has eight elements if they are NULL. */
#define DP_COST_OF_SKIPPING 16.0

/*
 * Cost of hash collisions for an element where nobody chose the list for it, and
 * more.
 */
#define DP_COST_OF_CHANCE 40.0

/* How often a value is compared where rows are sorted. */
#define DP_COMPARISONS 20

/* Cost of comparing a byte under a collation. */
extern double dp_expression_cost_of_order(Oid collation);

/*
 * Cost of one call of a function, with arguments that are no longer than `sizes`, in
 * bytes; where they are guides (constants of text or arrays of them), what is in them
 * counts.
 */
extern double dp_expression_cost_of_call(DpCostClass cost, List *args, const Size *sizes,
										 Oid collation);

/*
 * How long the result of such a call can be, in bytes with header, where that follows from
 * more than the longest argument; 0 of other calls.
 */
extern Size dp_expression_size_of_result(DpCostClass cost, List *args, const Size *sizes);

/* How many elements a constant list has, which is not NULL. */
extern int	dp_expression_list_length(const Const *list);

/*
 * Cost of entering such a list, whose elements an operator compares, in a hash table
 * beyond looking at each; 0 if the operator has none.
 */
extern double dp_expression_cost_of_meetings(Oid operator, const Const *list);

/*
 * Cost of comparing a value with each element of such an array; `cost` is that of the
 * operator's function, `fetching` that of fetching the value.
 */
extern double dp_expression_cost_of_elements(DpCostClass cost, const ScalarArrayOpExpr *call, const Size *sizes,
											 double fetching);

#endif							/* DP_EXPRESSION_FUNCTION_COST_H */
