/* SPDX-License-Identifier: PostgreSQL */
/*
 * price_lines.h
 *	  Lines of a block's price: what EXPLAIN, price() and last_release() show.
 */
#ifndef DP_PRICING_PRICE_LINES_H
#define DP_PRICING_PRICE_LINES_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "pricing/release.h"

/* A line of a price: what EXPLAIN, price() and last_release() show. */
typedef struct DpPriceLine
{
	const char *aggregate;
	const char *mechanism;
	const char *part_of;		/* the aggregate whose release answers it too; NULL: its own */
	double		epsilon;
	double		delta;
	double		sensitivity;	/* per group, in the value's unit */
	double		noise_stddev;	/* at most; NaN: none, or that of a clamp not chosen yet */
	double		half_width_95;	/* of what, see half_width.h; NaN: not known before the answer, or
								 * that of a clamp not chosen yet */
	double		rows;			/* of which these two are, of a mean; else 0 */
	int			max_rows;		/* of a unit that count in a group; 0: no matter */
	int			max_groups;		/* that a unit counts in, at most; 0: no matter */
	int			least_groups;	/* where that is chosen: at least, or once answered the same; else
								 * 0 */
	double		least_stddev;	/* then: noise_stddev at these, or of a clamp not chosen yet
								 * stddev_per_clamp */
	bool		clipped;		/* is the clamp of a unit's total chosen?  Then */
	double		clamp_epsilon;	/* by this part of epsilon, */
	double		least_clamp;	/* among those between these, or once answered those of groups, */
	double		most_clamp;
	double		stddev_per_clamp;	/* standard deviation of noise over clamp */
	double		threshold;		/* of private groups, in units; else 0 */
} DpPriceLine;

/* How many rows a mean is thought to be of, where nobody says it. */
#define DP_PRICE_ROWS 1000

/* Number of price lines of a block, and the i-th of them, from 0, its means being of so many rows. */
extern int	dp_pricing_block_lines(const DpBlock *block);
extern DpPriceLine dp_pricing_block_line(const DpBlock *block, int i, double rows);

/* Standard deviation of the noise of a release, or of the noises whose sum it bears; NaN: none. */
extern double dp_pricing_stddev(const DpRelease *release);

/* Noise that blocks (a List of const DpBlock *) of a statement ask for together. */
extern void dp_pricing_blocks_price(List *blocks, double *epsilon, double *delta);

/* A mechanism as people call it. */
extern const char *dp_pricing_mechanism_name(DpMechanism mechanism);

#endif							/* DP_PRICING_PRICE_LINES_H */
