/* SPDX-License-Identifier: PostgreSQL */
/*
 * of_class.c
 *	  Descriptions of noise, in the outer query, where max_groups is chosen; see
 *	  of_class.h.
 *
 * Which class was chosen is known when rows are read.  It comes with each of them, so that it belongs
 * to the answer that stands beside it, also where that is shown again.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"

#include "aggregate/exact.h"
#include "aggregate/released.h"
#include "base/compat_varlena.h"
#include "pricing/block.h"
#include "pricing/chosen_groups.h"
#include "rewrite/of_class.h"
#include "tree/make_nodes.h"

PG_FUNCTION_INFO_V1(dp_rewrite_of_class_sql);

/* Descriptions for all classes, one behind the other. */
typedef struct Descriptions
{
	int32		vl_len_;		/* varlena header */
	int32		classes;
	char		bytes[FLEXIBLE_ARRAY_MEMBER];
} Descriptions;

/* of_class(descriptions bytea, class bytea): that of the class that a DpTotals tells. */
Datum
dp_rewrite_of_class_sql(PG_FUNCTION_ARGS)
{
	const bytea *value = PG_GETARG_BYTEA_PP(0);
	Size		size = VARSIZE_ANY_EXHDR(value);
	int32		classes = 0;
	__int128	class;
	bytea	   *one;

	dp_aggregate_read_totals(PG_GETARG_BYTEA_PP(1), 1, &class);
	if (size >= sizeof(classes))
		memcpy(&classes, VARDATA_ANY(value), sizeof(classes));
	if (classes <= 0 || (size - sizeof(classes)) % classes != 0 || class < 0 || class >= classes)
		dp_aggregate_refuse_description();
	size = (size - sizeof(classes)) / classes;
	one = palloc(VARHDRSZ + size);
	SET_VARSIZE(one, VARHDRSZ + size);
	memcpy(VARDATA(one), VARDATA_ANY(value) + sizeof(classes) + (Size) class * size, size);
	PG_RETURN_BYTEA_P(one);
}

/* The descriptions of all classes. */
static Const *
describe_all(const DpBlock *block, DpDescribeNoise describe, void *arg)
{
	int			classes = dp_pricing_group_classes(block);
	Descriptions *all = NULL;
	Size		size = 0;

	for (int i = 0; i < classes; i++)
	{
		const Const *one = describe(dp_pricing_block_of_class(block, i), arg);
		const bytea *bytes = (const bytea *) DatumGetPointer(one->constvalue);

		if (all == NULL)
		{
			size = VARSIZE_ANY_EXHDR(bytes);
			all = palloc(offsetof(Descriptions, bytes) + classes * size);
			all->classes = classes;
		}
		Assert(VARSIZE_ANY_EXHDR(bytes) == size);
		memcpy(all->bytes + i * size, VARDATA_ANY(bytes), size);
	}
	return dp_tree_make_bytea(all, offsetof(Descriptions, bytes) + classes * size);
}

Node *
dp_rewrite_of_class(const DpBlockRewrite *rewrite, DpDescribeNoise describe, void *arg)
{
	const DpBlock *block = rewrite->block;
	Oid			types[] = {BYTEAOID, BYTEAOID};

	if (!dp_pricing_chooses_groups(block))
		return (Node *) describe(block, arg);
	return (Node *) dp_tree_make_call("of_class", types, lengthof(types),
									  list_make2(describe_all(block, describe, arg),
												 copyObject(list_nth(rewrite->column_vars, block->chooser))),
									  BYTEAOID);
}
