/*
 * rank_error.h
 *	  How far ranks of quantiles may be off, drawn alone or one inside the other.
 *
 * From public parameters alone.
 */
#ifndef DP_PRICING_RANK_ERROR_H
#define DP_PRICING_RANK_ERROR_H

#include "pricing/block.h"

/*
 * How far the rank of a quantile is off: with a probability of p at most by more than
 * scale ln(alternatives / p) + inside rows and a part `drift` of all rows, given that it is not none.
 */
typedef struct DpRankError
{
	double		scale;
	double		alternatives;
	double		inside;
	double		drift;
} DpRankError;

extern DpRankError dp_query_rank_error(const DpBlock *block, const DpRelease *release);

#endif							/* DP_PRICING_RANK_ERROR_H */
