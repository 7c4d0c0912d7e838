/*
 * release_rows.h
 *	  How many rows the planner is told that a release has.
 */
#ifndef DP_QUERY_REWRITE_RELEASE_ROWS_H
#define DP_QUERY_REWRITE_RELEASE_ROWS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "query/block/block.h"

/* How many rows a release is planned to have, by the types of its keys and the setting. */
extern double dp_query_release_rows(const DpBlock *block, const List *keys);

#endif							/* DP_QUERY_REWRITE_RELEASE_ROWS_H */
