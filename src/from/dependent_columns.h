/* SPDX-License-Identifier: PostgreSQL */
/*
 * dependent_columns.h
 *	  Columns that stand outside GROUP BY because a primary key in it determines them.
 */
#ifndef DP_FROM_DEPENDENT_COLUMNS_H
#define DP_FROM_DEPENDENT_COLUMNS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * Make further group keys of a block's columns that PostgreSQL allows outside GROUP BY.
 * What the block says of FROM, and of what it groups by, must have been merged before.
 */
extern void dp_from_group_dependent(Query *block);

/*
 * Put min(column), or bool_and, in place of such columns of a subquery, so that it
 * groups by no more than before; those of types without min become group keys.
 */
extern void dp_from_aggregate_dependent(Query *query);

/*
 * Columns that their table's owner has closed (dp_agg.hide_column).
 */

/*
 * The mention of a hidden column in a query over these items (of DpFromItem), whose join
 * tree has been read: 42501; or NULL.
 */
extern DpReason *dp_from_check_hidden(Query *query, List *leaves, int location);

/* The columns of an item of FROM that a query makes something of. */
extern Bitmapset *dp_from_columns_read(Query *query, Index varno);

#endif							/* DP_FROM_DEPENDENT_COLUMNS_H */
