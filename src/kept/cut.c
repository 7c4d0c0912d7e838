/* SPDX-License-Identifier: PostgreSQL */
/*
 * cut.c
 *	  How conditions and coarser buckets cut the buckets of a column's values.
 *
 * Both are told by the numbers that buckets have for single values, which is what rows are
 * counted by: edges, as they are shown, are rounded.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "kept/cut.h"

/* Most coarser buckets that are looked at. */
#define MOST_COARSER 10000

/* The comparison of the column with a constant that a condition is; InvalidStrategy if it is none. */
static int
comparison(Node *condition, const Const *column, const Const **constant)
{
	static const int commuted[] = {InvalidStrategy, BTGreaterStrategyNumber, BTGreaterEqualStrategyNumber,
	BTEqualStrategyNumber, BTLessEqualStrategyNumber, BTLessStrategyNumber};
	const OpExpr *call = (const OpExpr *) condition;
	bool		turned;
	Node	   *other;
	Oid			family;
	int			strategy;

	if (!IsA(condition, OpExpr) || list_length(call->args) != 2)
		return InvalidStrategy;
	turned = lsecond(call->args) == column;
	other = turned ? linitial(call->args) : lsecond(call->args);
	if ((!turned && linitial(call->args) != column) || other == (Node *) column || !IsA(other, Const))
		return InvalidStrategy;
	family = lookup_type_cache(column->consttype, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	strategy = OidIsValid(family) ? get_op_opfamily_strategy(call->opno, family) : InvalidStrategy;
	*constant = (const Const *) other;
	return turned ? commuted[strategy] : strategy;
}

/* Is it that the column is not NULL? */
static bool
is_not_null(Node *condition, const Const *column)
{
	const NullTest *test = (const NullTest *) condition;

	return IsA(condition, NullTest) && test->nulltesttype == IS_NOT_NULL && !test->argisrow &&
		test->arg == (const Expr *) column;
}

/* Have values before a position be left out; false if a bucket is cut. */
static bool
leave_out_before(const DpBuckets *buckets, int64 position, DpCut *cut)
{
	cut->first = dp_asking_bucket_at(buckets, position);
	return dp_asking_bucket_begins(buckets, position);
}

/* Have a position and values after it be left out.  NaN is after all, and in no bucket. */
static bool
leave_out_from(const DpBuckets *buckets, int64 position, DpCut *cut)
{
	cut->last = dp_asking_bucket_at(buckets, position) - 1;
	cut->all = true;
	return dp_asking_bucket_begins(buckets, position);
}

bool
dp_kept_cut_buckets(const DpBuckets *buckets, Node *condition, const Const *column, DpCut *cut)
{
	const Const *constant;
	int64		position;
	int			strategy = comparison(condition, column, &constant);

	*cut = (DpCut) {.first = 1, .last = buckets->bins, .all = buckets->type != FLOAT8OID};
	if (strategy == InvalidStrategy)
		return is_not_null(condition, column);
	if (!dp_asking_bucket_position(buckets, constant, &position) || position == PG_INT64_MAX)
		return false;
	switch (strategy)
	{
		case BTLessStrategyNumber:
			return leave_out_from(buckets, position, cut);
		case BTLessEqualStrategyNumber:
			return leave_out_from(buckets, position + 1, cut);
		case BTEqualStrategyNumber:
			return leave_out_before(buckets, position, cut) && leave_out_from(buckets, position + 1, cut);
		case BTGreaterEqualStrategyNumber:
			return leave_out_before(buckets, position, cut);
		case BTGreaterStrategyNumber:
			return leave_out_before(buckets, position + 1, cut);
		default:
			return false;
	}
}

int *
dp_kept_coarser_buckets(const DpBuckets *buckets, const DpBuckets *coarser)
{
	int		   *number;
	int			first = 1;

	if (coarser->type != buckets->type || coarser->bins > Min(buckets->bins, MOST_COARSER))
		return NULL;
	number = palloc(buckets->bins * sizeof(int));
	for (int i = 1; i <= coarser->bins; i++)
	{
		int64		end = i < coarser->bins ? dp_asking_bucket_start(coarser, i + 1) : PG_INT64_MAX;
		int			last = i < coarser->bins ? dp_asking_bucket_at(buckets, end) - 1 : buckets->bins;

		CHECK_FOR_INTERRUPTS();
		if (last < first || (i < coarser->bins && !dp_asking_bucket_begins(buckets, end)))
			return NULL;
		for (; first <= last; first++)
			number[first - 1] = i - 1;
	}
	return number;
}
