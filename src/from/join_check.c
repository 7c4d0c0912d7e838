/* SPDX-License-Identifier: PostgreSQL */
/*
 * join_check.c
 *	  Which joins protected rows may take part in.
 *
 * A join's row may be made of rows of one unit only, so that neighbouring databases
 * differ in the rows of one unit after the join as before it.  So every protected item
 * is joined by equality of its unit with one joined before.  Public tables are the same
 * in both databases.
 *
 * How many rows a unit has after the join does not matter for that, since what
 * a unit contributes is bounded afterwards.  It matters for how long the answer
 * takes: a join that multiplied rows without end would let the analyst magnify the time that
 * one person's rows take.  So one item is the base.  Every other has at most one row to each of its
 * rows, being joined by equality on all columns of a unique key, or grouped by the unit; or else as
 * many as dp_agg.max_join_rows allows (exact/fan_out.c).
 *
 * Where the base has one row per unit and nothing multiplies, so has the join.  How many rows and groups of a
 * unit count otherwise, join_bounds.c says.  None of it depends on which item FROM names first.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "from/contribution.h"
#include "from/from_item.h"
#include "from/full_join.h"
#include "from/join_bounds.h"
#include "from/join_check.h"
#include "from/join_equality.h"
#include "from/linked_join.h"
#include "from/public_rows.h"
#include "from/record_join.h"
#include "from/table_trust.h"
#include "policy/unique.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

/* Is an item joined by equality of its unit with one of these units? */
static bool
is_linked(const DpFromItem *leaf, List *units, List *equalities)
{
	ListCell   *lc;

	foreach(lc, leaf->contribution.units == NIL ? NIL : units)
	{
		Var		   *unit = linitial_node(Var, leaf->contribution.units);
		Var		   *other = lfirst_node(Var, lc);

		if (dp_from_is_equated(leaf, unit->varattno, unit->vartype, other->varno,
							   other->varattno, equalities))
			return true;
	}
	return false;
}

/* The first protected item that no outer join can replace by NULLs; or NULL. */
static DpFromItem *
first_anchor(List *leaves)
{
	ListCell   *lc;

	foreach(lc, leaves)
	{
		DpFromItem *leaf = lfirst(lc);

		if (leaf->is_protected && !leaf->nullable)
			return leaf;
	}
	return NULL;
}

List *
dp_from_find_linked(List *leaves, List *equalities)
{
	DpFromItem *anchor = first_anchor(leaves);
	List	   *units = anchor ? list_copy(anchor->contribution.units) : NIL;
	List	   *linked = anchor ? list_make1(anchor) : NIL;
	bool		progress = anchor != NULL;

	while (progress)
	{
		ListCell   *lc;

		progress = false;
		foreach(lc, leaves)
		{
			DpFromItem *leaf = lfirst(lc);

			if (!leaf->is_protected || list_member_ptr(linked, leaf) ||
				(!is_linked(leaf, units, equalities) && !dp_from_shares_key(leaf, linked, equalities)))
				continue;
			linked = lappend(linked, leaf);
			units = list_concat(units, leaf->contribution.units);
			progress = true;
		}
	}
	return linked;
}

/* The first protected item that is not joined by its unit, or NULL. */
static DpFromItem *
find_unlinked(List *leaves, List *equalities)
{
	List	   *linked = dp_from_find_linked(leaves, equalities);
	ListCell   *lc;

	foreach(lc, leaves)
	{
		DpFromItem *leaf = lfirst(lc);

		if (leaf->is_protected && !list_member_ptr(linked, leaf))
			return leaf;
	}
	return NULL;
}

/* The number of the column in which a subquery shows one of an item that it reads, or 0. */
static AttrNumber
shown_as(const Query *query, Index varno, AttrNumber number)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		const TargetEntry *target = lfirst_node(TargetEntry, lc);
		const Var  *column = (const Var *) target->expr;

		if (IsA(column, Var) && column->varno == varno && column->varattno == number)
			return target->resno;
	}
	return 0;
}

/* The number of an item's column that is one of its table, which the item is or has as number `varno`; or 0. */
static AttrNumber
column_of_item(const DpFromItem *leaf, Index varno, AttrNumber number)
{
	return leaf->rte->rtekind == RTE_SUBQUERY ? shown_as(leaf->rte->subquery, varno, number) : number;
}

/* Are all columns of a unique index bound? */
static bool
key_is_bound(const DpFromItem *leaf, Index varno, Relation index, List *equalities, Relids joined)
{
	if (!dp_policy_key_is_in_force(index))
		return false;
	for (int i = 0; i < index->rd_index->indnkeyatts; i++)
	{
		AttrNumber	column = column_of_item(leaf, varno, index->rd_index->indkey.values[i]);

		if (column == 0 || !dp_from_is_bound(leaf, column, index->rd_opfamily[i], equalities, joined))
			return false;
	}
	return true;
}

/* The query that groups, of a subquery: itself, or all that it reads; or NULL. */
static Query *
grouping_query(Query *query)
{
	Node	   *item = list_length(query->jointree->fromlist) == 1 ? linitial(query->jointree->fromlist) : NULL;
	RangeTblEntry *rte;

	if (query->groupClause != NIL)
		return query;
	if (item == NULL || !IsA(item, RangeTblRef))
		return NULL;
	rte = rt_fetch(((RangeTblRef *) item)->rtindex, query->rtable);
	return rte->rtekind == RTE_SUBQUERY && rte->subquery->groupClause != NIL ? rte->subquery : NULL;
}

/* Are all keys of a subquery that groups bound? */
static bool
groups_are_bound(const DpFromItem *leaf, List *equalities, Relids joined)
{
	Query	   *grouping = grouping_query(leaf->rte->subquery);
	ListCell   *lc;

	foreach(lc, grouping ? grouping->groupClause : NIL)
	{
		TargetEntry *key = get_sortgroupclause_tle(lfirst(lc), grouping->targetList);
		AttrNumber	column = leaf->rte->subquery == grouping ? key->resno
			: shown_as(leaf->rte->subquery, linitial_node(RangeTblRef, leaf->rte->subquery->jointree->fromlist)->rtindex, key->resno);

		if (column == 0 ||
			!dp_from_is_bound(leaf, column, dp_tree_default_family(exprType((Node *) key->expr)), equalities, joined))
			return false;
	}
	return grouping != NULL;
}

/*
 * The table of whose rows an item has no more than one each: the item itself, or what a subquery reads that stands by
 * itself, where nothing makes more of them.  *varno is set to its number there.  InvalidOid if there is none.
 */
static Oid
table_with_keys(const DpFromItem *leaf, Index *varno)
{
	const Query *query = leaf->rte->subquery;
	const DpTable *table;
	ListCell   *lc;

	if (leaf->rte->rtekind == RTE_RELATION)
		return leaf->rte->relid;
	if (leaf->rte->rtekind != RTE_SUBQUERY || !dp_from_stands_alone(query) || leaf->contribution.fan_outs != NIL)
		return InvalidOid;
	table = linitial(leaf->contribution.tables);
	foreach(lc, query->rtable)
		if (lfirst(lc) == table->rte)
			*varno = foreach_current_index(lc) + 1;
	return *varno > 0 ? table->rte->relid : InvalidOid;
}

/*
 * Has an item at most one row for each row of those joined before?  Clears *certain if an older snapshot
 * might see it otherwise.
 */
static bool
matches_once(const DpFromItem *leaf, List *equalities, Relids joined, bool *certain)
{
	Relation	relation;
	Index		varno = 0;
	Oid			relid = table_with_keys(leaf, &varno);
	ListCell   *lc;
	bool		found = false;
	bool		old = false;

	if (leaf->is_protected && (leaf->contribution.row_is_unit || leaf->contribution.few_share) && leaf->link == NULL)
	{
		Var		   *unit = linitial_node(Var, leaf->contribution.units);

		if (dp_from_is_bound(leaf, unit->varattno, dp_tree_default_family(unit->vartype),
							 equalities, joined))
			return true;
	}
	if (leaf->rte->rtekind == RTE_FUNCTION)
		return dp_from_public_rows_told_apart(leaf, equalities, joined, certain) != NIL;
	if (!OidIsValid(relid))
		return leaf->rte->rtekind == RTE_SUBQUERY && groups_are_bound(leaf, equalities, joined);
	relation = table_open(relid, NoLock);
	foreach(lc, RelationGetIndexList(relation))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (key_is_bound(leaf, varno, index, equalities, joined))
		{
			found = true;
			old = old || dp_policy_key_is_old(index, relation, &leaf->statement->new_keys);
		}
		index_close(index, AccessShareLock);
	}
	table_close(relation, NoLock);
	if (found)
		*certain = *certain && old;
	return found;
}

/*
 * The columns that say which rows of an item meet the same row of those joined, as far as is known: those that are
 * compared with it; and, of a protected item, always those that say whose they are.
 */
static List *
columns_met(const DpFromItem *leaf, List *columns)
{
	if (!leaf->is_protected)
		return columns;
	if (leaf->contribution.units != NIL)
		return list_append_unique_int(columns, linitial_node(Var, leaf->contribution.units)->varattno);
	for (int i = 0; i < leaf->link->ncolumns; i++)
		columns = list_append_unique_int(columns, leaf->link->columns[i]);
	return columns;
}

/* The first item that is not joined yet; by preference one that an equality ties to what is. */
static DpFromItem *
next_multiplying(List *leaves, List *equalities, Relids joined)
{
	DpFromItem *first = NULL;
	ListCell   *lc;

	foreach(lc, leaves)
	{
		DpFromItem *leaf = lfirst(lc);

		if (bms_is_member(leaf->varno, joined))
			continue;
		if (dp_from_bound_columns(leaf, equalities, joined) != NIL)
			return leaf;
		if (first == NULL)
			first = leaf;
	}
	return first;
}

/*
 * The text of a public item says that these columns tell its rows apart.  So they do when its rows
 * have been read; or else what stands above, that no unit has more rows for it, would be wrong.
 */
static void
verify_told_apart(DpFromItem *leaf, List *columns)
{
	if (leaf->told_apart && equal(leaf->told_apart, columns))
		return;
	if (dp_from_public_rows_alike(&leaf->statement->reads, leaf->rte, columns) > 1)
		elog(ERROR, "rows of \"%s\" are alike in what its text says tells them apart", leaf->rte->eref->aliasname);
	leaf->told_apart = columns;
}

/*
 * Join everything to these items: of DpFanOut, those that could multiply their rows.  Clears
 * *certain if an older snapshot might see rows multiplied elsewhere.
 */
static List *
find_multiplying(List *leaves, List *equalities, Relids joined, bool *certain)
{
	List	   *multiplying = NIL;
	bool		progress = true;

	*certain = true;
	while (progress)
	{
		DpFromItem *leaf;
		DpFanOut   *fan_out;
		ListCell   *lc;

		progress = false;
		foreach(lc, leaves)
		{
			bool		sure = true;

			leaf = lfirst(lc);
			if (bms_is_member(leaf->varno, joined) || !matches_once(leaf, equalities, joined, &sure))
				continue;
			*certain = *certain && sure;
			if (sure && leaf->rte->rtekind == RTE_FUNCTION)
				verify_told_apart(leaf, dp_from_public_rows_told_apart(leaf, equalities, joined, &sure));
			joined = bms_add_member(joined, leaf->varno);
			progress = true;
		}
		leaf = progress ? NULL : next_multiplying(leaves, equalities, joined);
		if (leaf == NULL)
			continue;
		fan_out = palloc0(sizeof(DpFanOut));
		fan_out->query = leaf->query;
		fan_out->varno = leaf->varno;
		fan_out->is_protected = leaf->is_protected;
		fan_out->table = leaf->rte->rtekind == RTE_RELATION ? leaf->rte->relid : InvalidOid;
		fan_out->columns = dp_from_bound_columns(leaf, equalities, joined);
		fan_out->ncompared = list_length(fan_out->columns);
		fan_out->columns = columns_met(leaf, fan_out->columns);
		multiplying = lappend(multiplying, fan_out);
		joined = bms_add_member(joined, leaf->varno);
		progress = true;
	}
	return multiplying;
}

/* The base of a join, and what multiplies its rows. */
typedef struct Base
{
	DpFromItem *leaf;
	DpFromItem *unmatched;		/* what keeps its rows where an outer join puts NULLs in its
								 * place, or NULL */
	List	   *fan_outs;		/* of DpFanOut */
	bool		certain;		/* that no other item multiplies them */
	DpJoinBounds bounds;
} Base;

/* Are all of these among those? */
static bool
are_among(List *fan_outs, List *those)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, fan_outs)
	{
		bool		found = false;

		foreach(lc2, those)
			found |= ((DpFanOut *) lfirst(lc))->varno == ((DpFanOut *) lfirst(lc2))->varno;
		if (!found)
			return false;
	}
	return true;
}

/*
 * An item that an outer join may replace by NULLs as the base: ON holds for its rows, and where
 * there is none of them, one of the others is a base, of whose rows nothing else makes more.
 */
static bool
is_base_of_others(const DpFromItem *nullable, List *leaves, List *equalities, Base *base)
{
	List	   *with = dp_from_equalities_with(equalities, nullable);
	bool		certain;
	ListCell   *lc;

	base->fan_outs = find_multiplying(leaves, with, bms_make_singleton(nullable->varno), &certain);
	foreach(lc, leaves)
	{
		DpFromItem *leaf = lfirst(lc);
		Relids		both = bms_add_member(bms_make_singleton(nullable->varno), leaf->varno);

		if (leaf->is_protected && !leaf->nullable &&
			are_among(find_multiplying(leaves, equalities, both, &certain), base->fan_outs))
		{
			base->unmatched = leaf;
			return true;
		}
	}
	return false;
}

/* Does a join have one row per unit, seen from this base? */
static bool
has_row_per_unit(const Base *base)
{
	return base->leaf->contribution.row_is_unit && base->certain && base->fan_outs == NIL && !base->leaf->nullable;
}

/*
 * Is a base better than the best before, which allows a unit less by itself?  One with fewer items that multiply
 * its rows is; or else one of which the unit has fewer rows in the join; or else this one, of which fewer are cut.
 */
static bool
is_better(const Base *base, const Base *best)
{
	if (best->leaf == NULL || list_length(base->fan_outs) != list_length(best->fan_outs))
		return best->leaf == NULL || list_length(base->fan_outs) < list_length(best->fan_outs);
	if (has_row_per_unit(base) != has_row_per_unit(best))
		return has_row_per_unit(base);
	if (base->bounds.cut != best->bounds.cut)
		return best->bounds.cut;
	if (base->bounds.rows != best->bounds.rows)
		return (base->bounds.rows < best->bounds.rows) != base->bounds.cut;
	return base->bounds.groups == best->bounds.groups || (base->bounds.groups < best->bounds.groups) != base->bounds.cut;
}

/* Work out what multiplies the rows of a base; false if it is none. */
static bool
complete_base(Base *base, List *leaves, List *equalities)
{
	if (!base->leaf->nullable)
		base->fan_outs = find_multiplying(leaves, equalities, bms_make_singleton(base->leaf->varno), &base->certain);
	else if (!is_base_of_others(base->leaf, leaves, equalities, base))
		return false;
	base->bounds = dp_from_bounds_of_join(base->leaf, base->unmatched, base->fan_outs, leaves);
	return true;
}

/*
 * The base with the fewest items that multiply its rows: of items that keep their rows by preference,
 * or else of children that an outer join may replace by NULLs.
 */
static Base
find_base(List *written, List *equalities)
{
	List	   *leaves = dp_from_in_order_of_bounds(written);
	Base		best = {0};
	ListCell   *lc;

	for (int nullable = 0; nullable < 2; nullable++)
	{
		Base		preferred = {0};

		foreach(lc, leaves)
		{
			Base		base = {.leaf = lfirst(lc)};

			if (base.leaf->is_protected && base.leaf->nullable == (nullable == 1) &&
				complete_base(&base, leaves, equalities) && is_better(&base, &preferred))
				preferred = base;
		}
		if (preferred.leaf && (best.leaf == NULL || list_length(preferred.fan_outs) < list_length(best.fan_outs)))
			best = preferred;
		if (best.leaf && best.fan_outs == NIL)
			break;
	}
	return best;
}

/* Why rows may not be multiplied, if they may not. */
static DpReason *
check_fan_outs(const Base *base, int location)
{
	const DpFanOut *first;

	if (base->fan_outs == NIL || dp_from_max_join_rows(&base->leaf->contribution) > 1)
		return NULL;
	first = linitial(base->fan_outs);
	return dp_tree_reason(location,
						  psprintf("%sJoin it by equality on all columns of a unique key, group it by the privacy unit in a subquery, or set dp_agg.max_join_rows.",
								   dp_from_missing_keys(base->fan_outs)),
						  "joining \"%s\" can multiply rows, and max_join_rows is 1",
						  rt_fetch(first->varno, first->query->rtable)->eref->aliasname);
}

/* The first of these that is a table, or NULL. */
static const DpFromItem *
first_table(List *leaves)
{
	ListCell   *lc;

	foreach(lc, leaves)
		if (((DpFromItem *) lfirst(lc))->rte->rtekind == RTE_RELATION)
			return lfirst(lc);
	return NULL;
}

/* Why rows of FROM are not protected, whoever asks. */
static DpReason *
not_protected(List *leaves, int location)
{
	const DpFromItem *leaf = first_table(leaves);
	Oid			relid = leaf ? leaf->rte->relid : InvalidOid;
	const char *hint = "Its owner can protect it with dp_agg.protect(); use plain aggregates on tables you may read.";

	if (leaf == NULL)
		return dp_tree_reason(location, DP_FROM_HINT,
							  "a differentially private aggregate needs a protected table in FROM");
	if (get_rel_relkind(relid) == RELKIND_FOREIGN_TABLE)
		hint = "A foreign table can be protected only as a partition: select from the partitioned table.";
	else if (get_rel_relispartition(relid))
		hint = "A partition cannot be asked about by itself: select from the partitioned table, with a condition on its key.";
	else if (has_superclass(relid))
		hint = "A table that inherits from another cannot be asked about by itself: select from the table at the root.";
	return dp_tree_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE, location, hint,
							 "table \"%s\" is not protected", leaf->rte->eref->aliasname);
}

/* Is there a protected table, and are all of one data set? */
static DpReason *
check_tables(List *leaves, int location)
{
	const DpFromItem *first = NULL;
	ListCell   *lc;

	foreach(lc, leaves)
	{
		const DpFromItem *leaf = lfirst(lc);

		if (!leaf->is_protected)
			continue;
		if (first == NULL)
			first = leaf;
		if (strcmp(NameStr(first->contribution.policy.dataset),
				   NameStr(leaf->contribution.policy.dataset)) != 0)
			return dp_tree_reason(location, "Their rows belong to different privacy units: query each data set in a statement of its own.",
								  "tables of two data sets cannot be joined");
	}
	if (first == NULL)
		return not_protected(leaves, location);
	foreach(lc, leaves)
		if (((DpFromItem *) lfirst(lc))->obstacle)
			return ((DpFromItem *) lfirst(lc))->obstacle;
	if (first_anchor(leaves) == NULL)
		elog(ERROR, "outer joins of a block leave no protected row certain");
	return NULL;
}

/* Contribution of the join's rows, as seen from the base. */
static void
combine(List *leaves, const Base *base, DpContribution *contribution)
{
	ListCell   *lc;

	*contribution = base->leaf->contribution;
	contribution->row_is_unit = has_row_per_unit(base);
	contribution->policy.max_rows = base->bounds.rows;
	contribution->policy.max_groups = base->bounds.groups;
	contribution->policy.max_values = base->bounds.values;
	contribution->policy.clip_max_rows = base->bounds.clip_rows;
	contribution->cut |= base->bounds.cut;
	contribution->few_share = contribution->few_share && base->fan_outs == NIL && !base->leaf->nullable;
	contribution->fan_outs = list_concat_copy(contribution->fan_outs, base->fan_outs);
	if (base->leaf->nullable)
		contribution->units = NIL;
	foreach(lc, leaves)
	{
		DpFromItem *leaf = lfirst(lc);

		if (leaf == base->leaf || !leaf->is_protected)
			continue;
		contribution->tables = list_concat(contribution->tables, leaf->contribution.tables);
		contribution->grouped = list_concat(contribution->grouped, leaf->contribution.grouped);
		contribution->fan_outs = list_concat(contribution->fan_outs, leaf->contribution.fan_outs);
		contribution->cut |= leaf->contribution.cut;
		if (leaf->nullable)
			continue;
		if (contribution->units == NIL)
			contribution->unit_not_null = leaf->contribution.unit_not_null;
		contribution->units = list_concat(contribution->units, leaf->contribution.units);
	}
}

DpReason *
dp_from_link(List *leaves, List *conditions, int location, DpContribution *contribution)
{
	List	   *equalities = dp_from_equalities(conditions);
	DpFromItem *unlinked;
	Base		base;
	DpReason   *reason = check_tables(leaves, location);

	if (reason)
		return reason;
	unlinked = find_unlinked(leaves, equalities);
	if (unlinked)
		return dp_from_refuse_unlinked(unlinked, leaves, equalities, location);
	base = find_base(leaves, equalities);
	if (base.leaf == NULL)
		elog(ERROR, "no protected item of a join keeps its rows");
	reason = check_fan_outs(&base, location);
	if (reason)
		return reason;
	combine(leaves, &base, contribution);
	dp_from_mark_untrusted(leaves, contribution->tables);
	return NULL;
}
