/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_expressions.h
 *	  Parts of a block's expressions that depend on no row of it.
 *
 * A subquery over public tables, or a call of a function that is not built in or
 * depends on settings, is computed once, by a query of its own, before the statement is
 * charged (read_public.h).  The query computes the largest part of the expression
 * around it that names no column.  What built-in functions make of constants is
 * computed when the block is validated (fold_constants.c).
 */
#ifndef DP_FROM_PUBLIC_EXPRESSIONS_H
#define DP_FROM_PUBLIC_EXPRESSIONS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/statement.h"

/*
 * Replace such parts, in place: in conditions, keys and arguments of aggregates of
 * ours, or, in a subquery, everywhere. `x IN (SELECT ...)` becomes `x = ANY (values)`.
 * Parts of the outer query are left as they are. `levels` are the query and those
 * around it.
 */
extern void dp_from_lift_expressions(Query *query, List *levels, DpStatement *statement);

#endif							/* DP_FROM_PUBLIC_EXPRESSIONS_H */
