/* SPDX-License-Identifier: PostgreSQL */
/*
 * unit_rows.h
 *	  How many rows of a unit a subquery groups, by what is declared or set.
 */
#ifndef DP_PRICING_UNIT_ROWS_H
#define DP_PRICING_UNIT_ROWS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* What is known of a unit's rows. */
typedef struct DpUnitRows
{
	int			of_block;		/* that the block reads, or 0 if nobody has said so */
	int			asked;			/* by the setting, or 0 */
	int			join_rows;		/* that public rows may make of one */
} DpUnitRows;

/*
 * Most rows of a unit that a subquery reads which is joined with others, as its own tables have it; 0 if nobody has
 * said so.
 */
extern int	dp_pricing_unit_rows_of(const Query *query, const DpUnitRows *rows);

/* Has the FROM of a query more items than one? */
extern bool dp_pricing_joins_items(const Query *query);

#endif							/* DP_PRICING_UNIT_ROWS_H */
