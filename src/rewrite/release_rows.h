/*
 * release_rows.h
 *	  How many rows the planner is told that a release has.
 */
#ifndef DP_REWRITE_RELEASE_ROWS_H
#define DP_REWRITE_RELEASE_ROWS_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/*
 * How many rows a described block's release is planned to have, by its keys and the setting;
 * `keys` is the query that lists them, or NULL.
 */
extern double dp_query_release_rows(const DpBlockRewrite *rewrite, const Query *keys);

#endif							/* DP_REWRITE_RELEASE_ROWS_H */
