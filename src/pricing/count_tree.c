/*
 * count_tree.c
 *	  Trees of counts whose leaves are the groups.
 */
#include "postgres.h"

#include <math.h>

#include "pricing/count_tree.h"

int
dp_query_tree_widths(int bins, int branching, int *width)
{
	int			levels = 1;
	int			n = bins;

	while (n > 1)
	{
		n = (n - 1) / branching + 1;
		levels++;
	}
	width[levels - 1] = bins;
	for (int i = levels - 2; i >= 0; i--)
		width[i] = (width[i + 1] - 1) / branching + 1;
	return levels;
}

int
dp_query_tree_levels(int bins, int branching)
{
	int			width[DP_MAX_TREE_LEVELS];

	return dp_query_tree_widths(bins, branching, width);
}

/*
 * The noise of a range's count has a variance of about (branching - 1) levels^3
 * times that of one count, all levels sharing an epsilon (Qardaji, Yang, Li
 * 2013).
 */
int
dp_query_tree_branching(int bins)
{
	int			best = 2;
	double		least = INFINITY;

	for (int b = 2; b <= Max(2, Min(bins, 256)); b++)
	{
		double		variance = (b - 1) * pow(dp_query_tree_levels(bins, b), 3);

		if (variance < least)
		{
			least = variance;
			best = b;
		}
	}
	return best;
}
