/*
 * presence.h
 *	  Whether what was released of a group may be noise alone.
 *
 * A mean and statistics of moments are released as totals that tell, with noise, how many rows
 * they are of.  Where a group without rows would show as many by chance, the answer would say
 * nothing: NULL is shown instead, as PostgreSQL does for no rows.  It follows from what was
 * released and from the noise's public parameters.
 */
#ifndef DP_PRICING_PRESENCE_H
#define DP_PRICING_PRESENCE_H

#include "pricing/block.h"

/*
 * How often a group without rows is answered all the same, at most: that often, or where noise is
 * so little that it does not matter for a group of one row, so rarely.
 */
#define DP_FEIGNED_SHARE 0.01
#define DP_FEIGNED_RARELY 1e-12

/* How many totals a mean or moments are released as. */
extern int	dp_query_totals_of(const DpRelease *release);

/*
 * The noisy rows that a group without any exceeds with that probability at most, in units of the
 * totals that show them: of a mean with Laplace noise and of moments the sum of all totals, which is
 * `width` for each row; of a mean with Gaussian noise the count.  -INFINITY where none does.
 */
extern double dp_query_feigned_rows(const DpRelease *release);

/* Do a release's totals, its column, show no more rows than that? */
extern bool dp_query_is_feigned(const DpRelease *release, double feigned, Datum column);

#endif							/* DP_PRICING_PRESENCE_H */
