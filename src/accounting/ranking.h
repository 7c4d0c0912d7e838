/* SPDX-License-Identifier: PostgreSQL */
/*
 * ranking.h
 *	  How far a ranking of counts errs, and which of several ways to draw it is the best.
 *
 * Plain C: no server header.
 *
 * A ranking is of `candidates` counts, or of two if it is not known how many there are, and has `draws`
 * ranks.  Its noise is permute and flip, the exponential mechanism, or noise added to all counts.
 */
#ifndef DP_ACCOUNTING_RANKING_H
#define DP_ACCOUNTING_RANKING_H

#include "accounting/calibrate.h"
#include "accounting/filter.h"

/*
 * A number of rows by which no candidate named trails the best one that is not named before it, but
 * with probability `miss` for all ranks together.
 */
extern double dp_accounting_ranking_width(const DpNoise *noise, double candidates, int draws, double miss);

/*
 * What decides between ways to draw a ranking: public numbers, none of which is what is spent.
 */
typedef struct DpRankingChoice
{
	double		candidates;		/* at least 2 */
	int			draws;
	double		sample_rate;
	bool		beside_gaussian;	/* are rankings asked beside Gaussian noise, without a pure
									 * epsilon? */
	int			limits;			/* 1 or 2, all of which have to admit what is asked */
	DpLimit		limit[2];
} DpRankingChoice;

/*
 * How many rankings with this noise the limits admit, and no others, as a fraction.  Not rounded to any
 * side: it decides, and charges nothing.
 */
extern double dp_accounting_rankings_admitted(const DpRankingChoice *choice, const DpNoise *noise);

/*
 * The best of some ways, from 0: the limits admit no more rankings of any other way, with that scaled
 * so that its width (above, miss 0.05) is that of the best.  It is the first of equal ones.
 */
extern int	dp_accounting_best_ranking(const DpRankingChoice *choice, const DpNoise *way, int ways);

#endif							/* DP_ACCOUNTING_RANKING_H */
