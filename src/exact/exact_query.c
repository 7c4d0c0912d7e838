/* SPDX-License-Identifier: PostgreSQL */
/*
 * exact_query.c
 *	  The query that computes a block's exact totals per group.
 *
 * Rows are first added up per unit and group.  A unit keeps at most max_groups groups,
 * chosen at random afresh.  Only then units are added up, by a plan node of our own
 * (src/units), which adds up rows at once where each is a unit
 *
 *		SELECT keys, over_units(unit, value, bounds)
 *		  FROM t WHERE ... GROUP BY keys
 *
 * or, where each row is a unit, for quantiles, distinct values, and counts and moments of all
 * rows, by ordinary aggregates
 *
 *		SELECT keys, totals FROM t WHERE ... GROUP BY keys
 *
 * Where other servers hold rows, these add up what they have of each unit and group
 * (partitionwise.c), and the node puts that together.
 *
 * It is a statement of its own, which the release node alone runs (opening.c): nothing of
 * the statement that reads the release is in it.  Keys that public tables list are read by
 * another.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "exact/exact_query.h"
#include "exact/over_units.h"
#include "exact/partitionwise.h"
#include "exact/sample.h"
#include "exact/weighted_rows.h"
#include "expression/canonical_key.h"
#include "from/contribution.h"
#include "from/pull_up.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "pricing/kind.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"
#include "units/ask.h"

void
dp_exact_grant(DpBlockRewrite *rewrite)
{
	DpContribution *contribution = &rewrite->contribution;
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, contribution->tables)
	{
		DpTable    *table = lfirst(lc);

		DP_PERMISSIONS(table->query, table->rte)->checkAsUser = table->owner;
		DP_PERMISSIONS(table->query, table->rte)->selectedCols =
			bms_add_member(DP_PERMISSIONS(table->query, table->rte)->selectedCols,
						   table->unit - FirstLowInvalidHeapAttributeNumber);
	}
	dp_from_look_through_views(rewrite->query, rewrite->own_entries, contribution->tables);
	foreach(lc2, contribution->grouped)
		dp_from_look_through_views(lfirst(lc2), 0, contribution->tables);
}

/*
 * A NULL bin, category or declared key means "in none": exclude such rows before
 * limiting groups per unit.
 */
static void
skip_rows_of_no_key(const DpBlockRewrite *rewrite, Query *query, Node *key)
{
	if (rewrite->domain > 0 && (rewrite->key_values == NIL || rewrite->skips_rows) &&
		!rewrite->contribution.row_is_unit)
		query->jointree->quals = make_and_qual(query->jointree->quals,
											   dp_tree_make_not_null(copyObject(key)));
}

/*
 * A query over the block's own FROM and WHERE, of the units in the sample; without
 * rows of no unit, unless what reads it leaves them out itself.
 */
static Query *
select_rows(DpBlockRewrite *rewrite, bool skips_null)
{
	Query	   *query = dp_tree_make_select(rewrite->query->rtable, rewrite->query->jointree);
	Node	   *unit = linitial(rewrite->contribution.units);

	dp_compat_take_permissions(query, rewrite->query);
	if (!skips_null && !rewrite->contribution.unit_not_null)
		query->jointree->quals = make_and_qual(query->jointree->quals,
											   dp_tree_make_not_null(copyObject(unit)));
	/* Other servers may not know how to. */
	if (rewrite->key_exprs != NIL && !rewrite->contribution.foreign)
		skip_rows_of_no_key(rewrite, query, linitial(rewrite->key_exprs));
	dp_exact_add_sampling(rewrite, query);
	query->hasAggs = true;
	return query;
}

static const char *
numbered(const char *prefix, int number)
{
	return psprintf("%s_%d", prefix, number);
}

List *
dp_exact_arguments(const DpMeasure *measure)
{
	return list_make2(copyObject(measure->value),
					  dp_tree_make_bytea(&measure->spec, sizeof(DpExactSpec)));
}

Node *
dp_exact_row_count(DpBlockRewrite *rewrite)
{
	ListCell   *lc;

	foreach(lc, rewrite->measures)
	{
		const DpMeasure *measure = lfirst(lc);

		if (!measure->distinct_values && dp_kind(&measure->release)->knows_rows)
			return (Node *) dp_tree_make_aggregate("exact_rows", dp_exact_arguments(measure), INT8OID);
	}
	return (Node *) dp_tree_make_count(NULL);
}

/* The executor wants all arguments compared. */
Node *
dp_exact_over_distinct(Node *node, const DpMeasure *measure)
{
	Aggref	   *aggref = castNode(Aggref, node);
	ListCell   *lc;

	if (!measure->distinct_values)
		return node;
	foreach(lc, aggref->args)
	{
		TargetEntry *arg = lfirst_node(TargetEntry, lc);

		arg->ressortgroupref = arg->resno;
		aggref->aggdistinct = lappend(aggref->aggdistinct,
									  dp_tree_make_clause(exprType((Node *) arg->expr), arg->resno));
	}
	aggref->inputcollid = exprCollation(measure->value);
	return node;
}

/* Exact totals of a measure over rows that are units. */
static Node *
row_total(DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	const DpKind *kind = dp_kind(&measure->release);

	if (kind->weighed_total)
		return kind->weighed_total(measure, (Node *) dp_tree_make_int8(1), kind->weighed_values(measure));
	return kind->exact(rewrite, measure);
}

/* Are rows read one by one, and nothing added up? */
static bool
reads_rows(const DpBlockRewrite *rewrite)
{
	return rewrite->measures != NIL && dp_kind(&((DpMeasure *) linitial(rewrite->measures))->release)->reads_rows;
}

/* Give the top of the exact query its output: keys, by which it groups and sorts, and totals. */
static void
finish(DpBlockRewrite *rewrite, Query *query, List *keys, List *totals)
{
	ListCell   *lc;

	query->hasAggs = !reads_rows(rewrite);
	foreach(lc, keys)
		rewrite->key_vars = lappend(rewrite->key_vars,
									dp_tree_add_group(query, lfirst(lc),
													  numbered("key", foreach_current_index(lc) + 1), false));
	foreach(lc, totals)
		rewrite->column_vars = lappend(rewrite->column_vars,
									   dp_tree_add_column(query, lfirst(lc),
														  numbered("total", foreach_current_index(lc) + 1)));
	query->sortClause = copyObject(query->groupClause);
}

/* Are groups selected by a count the statement did not ask for?  It comes behind those that it did. */
static bool
has_own_selector(DpBlockRewrite *rewrite)
{
	return rewrite->block->nreleases - dp_pricing_chooses_groups(rewrite->block) > list_length(rewrite->measures);
}

static Query *
exact_over_rows(DpBlockRewrite *rewrite)
{
	Query	   *query = select_rows(rewrite, false);
	List	   *totals = NIL;
	ListCell   *lc;

	foreach(lc, rewrite->measures)
		totals = lappend(totals, row_total(rewrite, lfirst(lc)));
	if (has_own_selector(rewrite))
		totals = lappend(totals, dp_exact_row_count(rewrite));
	finish(rewrite, query, rewrite->key_exprs, totals);
	return query;
}

/* How many points do the quantiles among the measures have? */
static int64
count_cells(DpBlockRewrite *rewrite)
{
	int64		n = 0;
	ListCell   *lc;

	foreach(lc, rewrite->measures)
	{
		const DpMeasure *measure = lfirst(lc);

		if (measure->quantile)
			n += measure->quantile->spec.cells;
	}
	return n;
}

/* Do distinct values count in any of the measures? */
static bool
has_distinct_values(DpBlockRewrite *rewrite)
{
	ListCell   *lc;

	foreach(lc, rewrite->measures)
		if (((DpMeasure *) lfirst(lc))->distinct_values)
			return true;
	return false;
}

/* The query of the node of src/units, which knows a unit by `id`. */
static Query *
exact_by_node(DpBlockRewrite *rewrite, Node *id, Query *query)
{
	List	   *keys = NIL;
	List	   *totals = NIL;
	ListCell   *lc;

	foreach(lc, rewrite->key_exprs)
		keys = lappend(keys, dp_exact_bytes_of_key(lfirst(lc)));
	foreach(lc, rewrite->measures)
		totals = lappend(totals, dp_exact_over_units(rewrite, id, lfirst(lc), NULL));
	if (has_own_selector(rewrite))
		totals = lappend(totals, dp_exact_over_units(rewrite, id, NULL, NULL));
	if (dp_pricing_chooses_groups(rewrite->block))
		totals = lappend(totals, dp_exact_classes_over_units(rewrite, id));
	finish(rewrite, query, keys, totals);
	return query;
}

/*
 * Is there nothing but counts and moments, of all rows together?  Ordinary
 * aggregates are as fast with the former and faster with the latter.
 */
static bool
suits_aggregates(DpBlockRewrite *rewrite)
{
	ListCell   *lc;

	foreach(lc, rewrite->measures)
		if (!dp_kind(&((DpMeasure *) lfirst(lc))->release)->suits_aggregates)
			return false;
	return rewrite->key_exprs == NIL;
}

/* Are ordinary aggregates what computes it, over rows that are units? */
static bool
is_over_rows(DpBlockRewrite *rewrite)
{
	return rewrite->contribution.row_is_unit &&
		(count_cells(rewrite) > 0 || has_distinct_values(rewrite) || suits_aggregates(rewrite));
}

/* A model's or of synthesis, of which a block has no other measure, over rows weighed by how many their units have. */
static Query *
exact_over_weighted_rows(DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	Query	   *rows = select_rows(rewrite, false);
	Node	   *unit = dp_exact_bytes_of_unit(copyObject(linitial(rewrite->contribution.units)));
	const DpKind *kind = dp_kind(&measure->release);
	Var		   *count;
	List	   *values;
	Query	   *query;

	rows->hasAggs = false;
	query = dp_exact_weigh_rows(rows, unit, kind->weighed_values(measure), !kind->takes_null, &count, &values);
	query = dp_tree_make_open_select_from(query, "dp_weighted");
	finish(rewrite, query, NIL, list_make1(kind->weighed_total(measure, (Node *) count, values)));
	return query;
}

/* The measure of a block that weighs rows, or NULL. */
static const DpMeasure *
weighing_measure(DpBlockRewrite *rewrite)
{
	const DpMeasure *measure = rewrite->measures == NIL ? NULL : linitial(rewrite->measures);

	return measure && dp_pricing_weighs_rows(measure) ? measure : NULL;
}

/* Over rows, by the node. */
static Query *
exact_over_units(DpBlockRewrite *rewrite)
{
	Node	   *unit = linitial(rewrite->contribution.units);

	if (rewrite->contribution.row_is_unit)
		return exact_by_node(rewrite, makeBoolConst(true, false), select_rows(rewrite, false));
	return exact_by_node(rewrite, dp_exact_bytes_of_unit(copyObject(unit)), select_rows(rewrite, true));
}

/*
 * A key over parts: whatever form other servers give its values, equal ones are to be
 * identical here.
 */
static Node *
key_of_parts(Node *expr, DpParts *parts)
{
	DpReason   *reason;
	Node	   *key = dp_expression_canonical_key(dp_exact_over_parts(expr, parts), &reason);

	if (key == NULL)
		elog(ERROR, "a key has no canonical form");
	return dp_exact_bytes_of_key(key);
}

/* The same over what the servers that hold rows add them up to. */
static Query *
exact_by_parts(DpBlockRewrite *rewrite)
{
	Query	   *rows = select_rows(rewrite, false);
	DpParts		parts = dp_exact_start_parts(rewrite);
	Node	   *id = dp_exact_bytes_of_unit(dp_exact_over_parts(linitial(rewrite->contribution.units), &parts));
	Query	   *query;
	List	   *keys = NIL;
	List	   *totals = NIL;
	ListCell   *lc;

	foreach(lc, rewrite->key_exprs)
		keys = lappend(keys, key_of_parts(lfirst(lc), &parts));
	foreach(lc, rewrite->measures)
		totals = lappend(totals, dp_exact_over_units(rewrite, id, lfirst(lc),
													 dp_exact_part_of(lfirst(lc), &parts)));
	if (has_own_selector(rewrite))
		totals = lappend(totals, dp_exact_over_units(rewrite, id, NULL, NULL));
	query = dp_exact_read_parts(&parts, rows);
	if (keys != NIL)
		skip_rows_of_no_key(rewrite, query, linitial(keys));
	finish(rewrite, query, keys, totals);
	return query;
}

DpReason *
dp_exact_check_measures(DpBlockRewrite *rewrite, int location)
{
	if (rewrite->contribution.foreign && has_distinct_values(rewrite))
		return dp_tree_reason(location, "Ask for the number of units, DISTINCT of the unit's column.",
							  "DISTINCT of values is not allowed where partitions are on other servers");
	if (!rewrite->contribution.row_is_unit && count_cells(rewrite) > DP_UNITS_MOST_CELLS)
		return dp_tree_reason(location, "Ask for some of them in statements of their own, or in larger steps.",
							  "quantiles of more than %d points in all are not allowed in one query",
							  (int) DP_UNITS_MOST_CELLS);
	return NULL;
}

Query *
dp_exact_exact(DpBlockRewrite *rewrite)
{
	dp_exact_grant(rewrite);
	if (rewrite->contribution.foreign)
		return exact_by_parts(rewrite);
	if (!rewrite->contribution.row_is_unit && weighing_measure(rewrite))
		return exact_over_weighted_rows(rewrite, weighing_measure(rewrite));
	return is_over_rows(rewrite) ? exact_over_rows(rewrite) : exact_over_units(rewrite);
}
