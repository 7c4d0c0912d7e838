/*
 * block_json.h
 *	  The releases of blocks as JSON, for the ledger.
 */
#ifndef DP_QUERY_BLOCK_BLOCK_JSON_H
#define DP_QUERY_BLOCK_BLOCK_JSON_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/*
 * The releases of several blocks as a JSON array, for the ledger; one that is
 * made several times stands there once, with its number of "times".
 */
extern Jsonb *dp_query_blocks_json(List *blocks);

#endif							/* DP_QUERY_BLOCK_BLOCK_JSON_H */
