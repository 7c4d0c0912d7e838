/*
 * hidden_columns.h
 *	  Columns that their table's owner has closed (dp_agg.hide_column).
 */
#ifndef DP_FROM_HIDDEN_COLUMNS_H
#define DP_FROM_HIDDEN_COLUMNS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * The mention of a hidden column in a query over these items (of DpFromItem), whose join
 * tree has been read: 42501; or NULL.
 */
extern DpReason *dp_query_check_hidden(Query *query, List *leaves, int location);

/* The columns of an item of FROM that a query makes something of. */
extern Bitmapset *dp_query_columns_read(Query *query, Index varno);

#endif							/* DP_FROM_HIDDEN_COLUMNS_H */
