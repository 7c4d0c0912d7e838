/*
 * match_releases.c
 *	  Releases of a block that is asked among those of a finer answer; see match_releases.h.
 */
#include "postgres.h"

#include <math.h>

#include "pricing/price_lines.h"
#include "reuse/match_releases.h"

/*
 * Rounding a sum to a coarser grid counts for nothing where the noise is so many times what it
 * moves the sum by, or where answers are rounded to whole numbers anyway.
 */
#define FINE (1 << 20)

/* The scale of a noise, in grid units. */
static double
scale_of(const DpNoise *noise)
{
	return noise->mechanism == DP_GAUSSIAN ? (double) noise->sigma : (double) noise->scale_num / noise->scale_den;
}

/* Can what was released be taken for what is asked, in the grid that this has? */
static bool
can_convert(const DpRelease *asked, const DpRelease *finer)
{
	const DpNoise *noise = finer->noise;
	int			coarser = asked->noise[0].grid - noise[0].grid;

	if (asked->kind != finer->kind || asked->nnoise != finer->nnoise ||
		(noise[0].mechanism != DP_LAPLACE && noise[0].mechanism != DP_GAUSSIAN))
		return false;
	if (asked->kind == DP_RELEASE_SUM)
		return coarser > -60 && (coarser <= 0 || (asked->rounded && asked->noise[0].grid == 0) ||
								 scale_of(&noise[0]) >= FINE * ldexp(1, coarser));
	if (asked->kind == DP_RELEASE_AVG)
		return asked->width == finer->width && asked->noise[0].mechanism == noise[0].mechanism && coarser == 0 &&
			asked->noise[1].grid == noise[1].grid && (noise[0].mechanism == DP_LAPLACE || noise[1].grid <= 0);
	return true;
}

/* The noise of a sum of so many in terms of what would be drawn. */
static double
noise_ratio(const DpRelease *asked, const DpRelease *finer, int most)
{
	double		ratio = 0;

	for (int i = 0; i < asked->nnoise; i++)
	{
		DpRelease	one = *asked;
		DpRelease	sum = *finer;

		one.noise[0] = asked->noise[i];
		sum.noise[0] = finer->noise[i];
		sum.summed = most;
		if (dp_query_stddev(&sum) > 0)
			ratio = Max(ratio, dp_query_stddev(&sum) / dp_query_stddev(&one));
	}
	return ratio;
}

bool
dp_query_match_releases(const DpMatching *matching, int most, int *from, double *ratio)
{
	*ratio = 0;
	for (int i = 0; i < matching->block->nreleases; i++)
	{
		const DpRelease *asked = &matching->block->release[i];
		double		best = INFINITY;

		for (int j = 0; j < matching->finer->nreleases; j++)
		{
			const DpShapeRelease *finer = &matching->finer->release[j];
			double		one;

			if (!dp_query_same_digest(&finer->addend, &matching->asked->addend[i]) ||
				!can_convert(asked, &finer->release))
				continue;
			one = noise_ratio(asked, &finer->release, most);
			if (one >= best)
				continue;
			best = one;
			from[i] = j;
		}
		*ratio = Max(*ratio, best);
	}
	return isfinite(*ratio);
}

bool
dp_query_has_addends(const DpMatching *matching)
{
	for (int i = 0; i < matching->block->nreleases; i++)
	{
		int			j = 0;

		while (j < matching->finer->nreleases &&
			   !dp_query_same_digest(&matching->finer->release[j].addend, &matching->asked->addend[i]))
			j++;
		if (j == matching->finer->nreleases)
			return false;
	}
	return true;
}
