/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_items.h
 *	  Items of FROM that read no protected row and are no plain tables.
 *
 * Subqueries, WITH queries, VALUES and functions are read once, each by a query of its
 * own, before the statement is charged (read_public.h).  An item of one row at most
 *
 *		(SELECT date '2024-01-01' AS d0) p
 *
 * becomes the values of its columns, and any other
 *
 *		ROWS FROM (unnest(values of the first column), unnest(values of the second) ...)
 *
 * A subquery that could be merged into the block, and nothing in it refused there, is: so a
 * table of the analyst's is joined as such, by its keys.
 *
 * A subquery over what another block released is such an item, too.
 */
#ifndef DP_FROM_PUBLIC_ITEMS_H
#define DP_FROM_PUBLIC_ITEMS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/statement.h"

/*
 * Have an item of FROM be read by a query of its own, if it is public and no plain table.
 * `levels` are the query and those around it, innermost first.
 */
extern bool dp_from_lift_item(Query *query, Index varno, List *levels, DpStatement *statement);

/* Leave out of FROM what is left of items of one row, once they are merged. */
extern FromExpr *dp_from_without_results(Query *query, FromExpr *from);

#endif							/* DP_FROM_PUBLIC_ITEMS_H */
