/*
 * answer_error.h
 *	  How far off an answer is that is taken from another aggregate's release.
 */
#ifndef DP_PRICING_ANSWER_ERROR_H
#define DP_PRICING_ANSWER_ERROR_H

#include "postgres.h"

#include "pricing/block.h"

/* Standard deviation of its noise, in its own unit; of a mean times the number of rows. */
extern double dp_query_answer_stddev(const DpRelease *release, const DpAnswer *answer);

/* How far off it is, with probability 0.95 at least, to within a grid unit of each total; likewise. */
extern double dp_query_answer_half_width(const DpRelease *release, const DpAnswer *answer);

#endif							/* DP_PRICING_ANSWER_ERROR_H */
