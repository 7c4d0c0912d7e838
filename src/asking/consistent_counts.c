/*
 * consistent_counts.c
 *	  Estimates of counts from those of a tree over them: post-processing of dp_cumulative.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"

#include "pricing/count_tree.h"

PG_FUNCTION_INFO_V1(dp_query_consistent_counts);

/*
 * From the leaves up: the best estimate of each node from its own noisy count and
 * those below, in place, and that estimate's variance in units of one count's.
 */
static void
estimate_from_below(double *count, double *variance, const int *width, int levels, int branching)
{
	double	   *child = count;
	double	   *child_variance = variance;

	for (int i = 0; i < levels - 1; i++)
	{
		child += width[i];
		child_variance += width[i];
	}
	for (int j = 0; j < width[levels - 1]; j++)
		child_variance[j] = 1;
	for (int i = levels - 2; i >= 0; i--)
	{
		double	   *own = child - width[i];
		double	   *own_variance = child_variance - width[i];

		for (int j = 0; j < width[i]; j++)
		{
			double		sum = 0;
			double		below = 0;

			for (int k = j * branching; k < Min((j + 1) * branching, width[i + 1]); k++)
			{
				sum += child[k];
				below += child_variance[k];
			}
			own[j] = (own[j] * below + sum) / (below + 1);
			own_variance[j] = below / (below + 1);
		}
		child = own;
		child_variance = own_variance;
	}
}

/* From the root down: what a node differs from its children's sum by is spread among them. */
static void
spread_from_above(double *count, const double *variance, const int *width, int levels, int branching)
{
	double	   *own = count;
	const double *own_variance = variance;

	for (int i = 0; i < levels - 1; i++)
	{
		double	   *child = own + width[i];
		const double *child_variance = own_variance + width[i];

		for (int j = 0; j < width[i]; j++)
		{
			int			first = j * branching;
			int			last = Min((j + 1) * branching, width[i + 1]);
			double		rest = own[j];
			double		below = 0;

			for (int k = first; k < last; k++)
			{
				rest -= child[k];
				below += child_variance[k];
			}
			for (int k = first; k < last; k++)
				child[k] += rest * child_variance[k] / below;
		}
		own = child;
		own_variance = child_variance;
	}
}

/* The counts of an array without nulls, as doubles; an error if there are not n. */
static double *
read_counts(ArrayType *array, int64 n)
{
	const int64 *value = (const int64 *) ARR_DATA_PTR(array);
	double	   *count;

	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array) || ARR_DIMS(array)[0] != n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("counts must be those of all nodes of the tree")));
	count = palloc_extended(n * sizeof(double), MCXT_ALLOC_HUGE);
	for (int64 i = 0; i < n; i++)
		count[i] = (double) value[i];
	return count;
}

/*
 * consistent_counts(counts, bins, branching): the least-squares estimates of the
 * leaves from noisy counts of all nodes, which have the same variance (Hay et al.
 * 2010, for trees of any shape).
 */
Datum
dp_query_consistent_counts(PG_FUNCTION_ARGS)
{
	int			bins = PG_GETARG_INT32(1);
	int			branching = PG_GETARG_INT32(2);
	int			width[DP_MAX_TREE_LEVELS];
	int			levels;
	int64		nodes = 0;
	double	   *count;
	double	   *variance;
	Datum	   *leaf;

	if (bins < 1 || branching < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a tree needs bins, and two children a node")));
	levels = dp_query_tree_widths(bins, branching, width);
	for (int i = 0; i < levels; i++)
		nodes += width[i];
	count = read_counts(PG_GETARG_ARRAYTYPE_P(0), nodes);
	variance = palloc_extended(nodes * sizeof(double), MCXT_ALLOC_HUGE);
	estimate_from_below(count, variance, width, levels, branching);
	spread_from_above(count, variance, width, levels, branching);
	leaf = palloc(bins * sizeof(Datum));
	for (int i = 0; i < bins; i++)
		leaf[i] = Float8GetDatum(count[nodes - bins + i]);
	PG_RETURN_ARRAYTYPE_P(construct_array(leaf, bins, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
										  TYPALIGN_DOUBLE));
}
