/*
 * statistic.h
 *	  Noisy totals of moments and how they became public, read from SQL values.
 */
#ifndef DP_AGGREGATE_STATISTIC_H
#define DP_AGGREGATE_STATISTIC_H

#include "postgres.h"

#include "aggregate/estimate.h"

/*
 * A DpEstimate and the totals it is of, as doubles.  Errors: 22023 for bytes that
 * hold no such thing.
 */
extern void dp_aggregate_read_estimate(const bytea *value, const bytea *totals,
									   DpEstimate *estimate, double *numbers);

#endif							/* DP_AGGREGATE_STATISTIC_H */
