/* SPDX-License-Identifier: PostgreSQL */
/*
 * describe_cells.c
 *	  What the groups of a block are made of.
 *
 * It concerns blocks of counts, sums and means alone, of all units, whose rows are all
 * here.  They have one group, or groups of keys that are public by nature, declared,
 * listed or in buckets.  It also concerns trees of counts over buckets.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"

#include "asking/buckets.h"
#include "from/referenced_keys.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/form_table.h"
#include "pricing/group_cells.h"
#include "pricing/kind.h"
#include "rewrite/describe_cells.h"
#include "rewrite/finite_keys.h"
#include "tree/make_nodes.h"

/* Distinct values of groups are not distinct in all; and a clamp that is chosen is that of its group. */
static bool
adds_up(const DpMeasure *measure)
{
	if (measure->distinct_values || dp_pricing_is_clipped(&measure->release))
		return false;
	return dp_kind(&measure->release)->can_convert != NULL;
}

/* Are its groups buckets of a column's values? */
static bool
has_buckets(const DpBlockRewrite *rewrite)
{
	DpBuckets	buckets;

	return rewrite->block->nkeys == 1 && !rewrite->listed && dp_asking_read_buckets(linitial(rewrite->plain_keys), &buckets);
}

static bool
has_cells(const DpBlockRewrite *rewrite)
{
	const DpBlock *block = rewrite->block;
	const DpContribution *contribution = &rewrite->contribution;
	bool		buckets = has_buckets(rewrite);
	ListCell   *lc;

	foreach(lc, rewrite->measures)
		if (!adds_up(lfirst(lc)))
			return false;
	return (dp_form(block)->of_groups || (dp_form(block)->is_tree && buckets)) &&
		block->selector < 0 && !block->by_parts &&
		block->sample_rate >= 1 && block->nreleases == list_length(rewrite->measures) &&
		(block->nkeys == 0 || block->listed || rewrite->key_values != NIL || buckets) &&
		contribution->grouped == NIL && !contribution->foreign;
}

static Const *
addend_of(const DpMeasure *measure)
{
	DpAddend	addend;

	memset(&addend, 0, sizeof(addend));
	addend.kind = measure->release.kind;
	addend.distinct_units = measure->distinct_units;
	addend.most_rows = measure->most_rows;
	addend.type = measure->aggref->aggtype;
	addend.lower = measure->lower;
	addend.upper = measure->upper;
	return dp_tree_make_bytea(&addend, sizeof(addend));
}

/* The value of which a row's is added up, or that counts where it is not NULL: any constant counts alike. */
static Node *
value_of(const DpMeasure *measure)
{
	if (measure->value == NULL || measure->distinct_units ||
		(dp_kind(&measure->release)->counts && IsA(measure->value, Const) &&
		 !((Const *) measure->value)->constisnull))
		return makeBoolConst(true, false);
	return copyObject(measure->value);
}

static Query *
make_query(const DpBlockRewrite *rewrite)
{
	Query	   *query = dp_tree_make_select(copyObject(rewrite->query->rtable),
											copyObject(rewrite->query->jointree));
	ListCell   *lc;

	if (rewrite->block->nkeys > 0)
		foreach(lc, rewrite->plain_keys)
			(void) dp_tree_add_column(query, copyObject(lfirst(lc)), "key");
	(void) dp_tree_add_column(query, copyObject(linitial(rewrite->contribution.units)), "unit");
	foreach(lc, rewrite->measures)
	{
		const DpMeasure *measure = lfirst(lc);

		(void) dp_tree_add_column(query, (Node *) addend_of(measure), "addend");
		(void) dp_tree_add_column(query, value_of(measure), "value");
	}
	return rewrite->replaced ? dp_from_without_references(query, rewrite->replaced) : query;
}

List *
dp_rewrite_describe_cells(const DpBlockRewrite *rewrite)
{
	const DpContribution *contribution = &rewrite->contribution;
	DpCellBounds bounds = {
		.row_is_unit = contribution->row_is_unit,
		.max_rows = contribution->max_rows,
		.max_groups = contribution->max_groups
	};
	List	   *complete = NIL;

	if (!has_cells(rewrite))
		return NIL;
	if (rewrite->listed)
	{
		/* Every row's keys are listed, where it is joined with what lists them. */
		for (int i = 0; i < list_length(rewrite->plain_keys); i++)
			complete = lappend_int(complete, rewrite->replaced == NIL);
		return list_make4(make_query(rewrite), dp_tree_make_bytea(&bounds, sizeof(bounds)), NIL, complete);
	}
	if (has_buckets(rewrite))
		return list_make4(make_query(rewrite), dp_tree_make_bytea(&bounds, sizeof(bounds)),
						  list_make1(makeNullConst(INT4ARRAYOID, -1, InvalidOid)), list_make1_int(false));
	return list_make4(make_query(rewrite), dp_tree_make_bytea(&bounds, sizeof(bounds)),
					  list_copy(rewrite->key_values), list_copy(rewrite->keys_complete));
}

void
dp_rewrite_limit_cells(List *cells, Size longest)
{
	DpCellBounds *bounds = (DpCellBounds *)
		DatumGetPointer(list_nth_node(Const, cells, DP_CELLS_BOUNDS)->constvalue);

	bounds->longest = longest;
}
