/* SPDX-License-Identifier: PostgreSQL */
/*
 * partitionwise.h
 *	  Adding up units partition by partition, where their rows are.
 */
#ifndef DP_EXACT_PARTITIONWISE_H
#define DP_EXACT_PARTITIONWISE_H

#include "postgres.h"

#include "pricing/aggregate_args.h"
#include "pricing/block_rewrite.h"

/* Columns that the partitions compute, over the table's own columns. */
typedef struct DpParts
{
	List	   *groups;			/* keys, then the unit, no two alike */
	List	   *parts;			/* Aggrefs, no two alike */
} DpParts;

/* Keys that a block's rows are grouped by where they are. */
extern DpParts dp_exact_start_parts(const DpBlockRewrite *rewrite);

/*
 * The block's unit, or one of its keys, over the columns of the parts, which begin with
 * those they are grouped by.
 */
extern Node *dp_exact_over_parts(Node *expr, DpParts *parts);

/* The column with the parts of a measure, as units/rows.h reads them; NULL if it needs none. */
extern Node *dp_exact_part_of(const DpMeasure *measure, DpParts *parts);

/*
 * In the end: a query, so far without output, over the parts of all rows that a query over the
 * table has.
 */
extern Query *dp_exact_read_parts(const DpParts *parts, Query *rows);

#endif							/* DP_EXACT_PARTITIONWISE_H */
