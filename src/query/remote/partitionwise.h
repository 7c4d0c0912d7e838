/*
 * partitionwise.h
 *	  Adding up units partition by partition, where their rows are.
 */
#ifndef DP_QUERY_REMOTE_PARTITIONWISE_H
#define DP_QUERY_REMOTE_PARTITIONWISE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "query/block/block_rewrite.h"

/*
 * The query over units that exact_query.c made, in the form in which every
 * partition is added up by itself.  Same columns.
 */
extern Query *dp_query_by_parts(DpBlockRewrite *rewrite, Query *units);

#endif							/* DP_QUERY_REMOTE_PARTITIONWISE_H */
