/*
 * price_lines.h
 *	  Lines of a block's price: what EXPLAIN, price() and last_release() show.
 */
#ifndef DP_QUERY_BLOCK_PRICE_LINES_H
#define DP_QUERY_BLOCK_PRICE_LINES_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "query/block/block.h"

/* A line of a price: what EXPLAIN, price() and last_release() show. */
typedef struct DpPriceLine
{
	const char *aggregate;
	const char *mechanism;
	double		epsilon;
	double		delta;
	double		sensitivity;	/* per group, in the value's unit */
	double		noise_stddev;	/* of a mean: of the mean times its count, at most; NaN: none */
	double		half_width_95;	/* of what, see half_width.h */
	bool		over_rows;		/* are these two to be divided by the number of rows? */
	double		threshold;		/* of private groups, in units; else 0 */
} DpPriceLine;

/* Number of price lines of a block, and the i-th of them, from 0. */
extern int	dp_query_block_lines(const DpBlock *block);
extern DpPriceLine dp_query_block_line(const DpBlock *block, int i);

/* What blocks (a List of const DpBlock *) of a statement ask for together. */
extern void dp_query_blocks_price(List *blocks, double *epsilon, double *delta);

/* A mechanism as people call it. */
extern const char *dp_query_mechanism_name(DpMechanism mechanism);

#endif							/* DP_QUERY_BLOCK_PRICE_LINES_H */
