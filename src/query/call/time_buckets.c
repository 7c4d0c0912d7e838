/*
 * time_buckets.c
 *	  Buckets of dates and times, and post-processing of histograms.
 *
 * Bucket number b of n between lower and upper holds what lies from its edge
 * b - 1 on, and before its edge b; edge e is lower + e (upper - lower) / n, rounded
 * up to whole days or microseconds.  So a value's bucket is told in integers,
 * exactly, and by the edges shown.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/timestamp.h"

#include "query/block/count_tree.h"

PG_FUNCTION_INFO_V1(dp_query_bucket_date);
PG_FUNCTION_INFO_V1(dp_query_bucket_timestamp);
PG_FUNCTION_INFO_V1(dp_query_edge_date);
PG_FUNCTION_INFO_V1(dp_query_edge_timestamp);
PG_FUNCTION_INFO_V1(dp_query_consistent_counts);

/*
 * Number of the bucket that holds x, values outside the bounds, infinities among
 * them, in the end buckets; NULL if there are no such buckets.  Total: never an
 * error.
 */
static Datum
bucket(FunctionCallInfo fcinfo, int64 x, int64 lower, int64 upper)
{
	int32		bins = PG_GETARG_INT32(3);
	uint64		distance = (uint64) x - (uint64) lower;
	uint64		width = (uint64) upper - (uint64) lower;

	if (lower >= upper || bins < 1)
		PG_RETURN_NULL();
	if (x < lower)
		PG_RETURN_INT32(1);
	if (x >= upper)
		PG_RETURN_INT32(bins);
	if (distance <= PG_UINT64_MAX / bins)
		PG_RETURN_INT32((int32) (distance * bins / width) + 1);
	PG_RETURN_INT32((int32) ((unsigned __int128) distance * bins / width) + 1);
}

/* An edge, from 0 to bins; those further out as the outermost. */
static int64
edge(FunctionCallInfo fcinfo, int64 lower, int64 upper)
{
	int32		bins = Max(PG_GETARG_INT32(2), 1);
	int32		number = Min(Max(PG_GETARG_INT32(3), 0), bins);
	__int128	width = (__int128) upper - lower;

	return (int64) (lower + (width * number + bins - 1) / bins);
}

Datum
dp_query_bucket_date(PG_FUNCTION_ARGS)
{
	return bucket(fcinfo, PG_GETARG_DATEADT(0), PG_GETARG_DATEADT(1), PG_GETARG_DATEADT(2));
}

Datum
dp_query_bucket_timestamp(PG_FUNCTION_ARGS)
{
	return bucket(fcinfo, PG_GETARG_TIMESTAMP(0), PG_GETARG_TIMESTAMP(1), PG_GETARG_TIMESTAMP(2));
}

Datum
dp_query_edge_date(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATEADT((DateADT) edge(fcinfo, PG_GETARG_DATEADT(0), PG_GETARG_DATEADT(1)));
}

Datum
dp_query_edge_timestamp(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMESTAMP(edge(fcinfo, PG_GETARG_TIMESTAMP(0), PG_GETARG_TIMESTAMP(1)));
}

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
