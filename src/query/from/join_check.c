/*
 * join_check.c
 *	  Which joins protected rows may take part in.
 *
 * A join's row may be made of rows of one unit only, so that neighbouring
 * databases differ in the rows of one unit after the join as before it: every
 * protected item is joined by equality of its unit with one joined before.
 * Public tables are the same in both databases.
 *
 * How many rows a unit has after the join does not matter for that, since what
 * a unit contributes is bounded afterwards.  It matters for how long the answer
 * takes: a join that multiplied rows would let the analyst magnify the time that
 * one person's rows take.  So there must be one item, the base, to each row of
 * which every other item has at most one row: joined by equality on all columns
 * of a unique key, or grouped by the unit.
 *
 * Where the base has one row per unit, so has the join.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "query/from/contribution.h"
#include "query/from/from_item.h"
#include "query/from/join_check.h"
#include "query/from/join_equality.h"
#include "query/from/linked_join.h"
#include "query/from/public_rows.h"
#include "query/from/table_trust.h"
#include "query/nodes/reason.h"
#include "query/policy/unique.h"

/* Is an item joined by equality of its unit with one of these units? */
static bool
is_linked(const DpFromItem *leaf, List *units, List *equalities)
{
	ListCell   *lc;

	foreach(lc, leaf->contribution.units == NIL ? NIL : units)
	{
		Var		   *unit = linitial_node(Var, leaf->contribution.units);
		Var		   *other = lfirst_node(Var, lc);

		if (dp_query_is_equated(leaf, unit->varattno, unit->vartype, other->varno,
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

/* Is every protected item joined by its unit?  If not, names one that is not. */
static DpFromItem *
find_unlinked(List *leaves, List *equalities, DpFromItem *anchor)
{
	List	   *units = list_copy(anchor->contribution.units);
	List	   *linked = list_make1(anchor);
	DpFromItem *unlinked = NULL;
	bool		progress = true;

	while (progress)
	{
		ListCell   *lc;

		progress = false;
		unlinked = NULL;
		foreach(lc, leaves)
		{
			DpFromItem *leaf = lfirst(lc);

			if (!leaf->is_protected || list_member_ptr(linked, leaf))
				continue;
			if (!is_linked(leaf, units, equalities) &&
				!dp_query_shares_key(leaf, linked, equalities))
			{
				if (unlinked == NULL)
					unlinked = leaf;
				continue;
			}
			linked = lappend(linked, leaf);
			units = list_concat(units, leaf->contribution.units);
			progress = true;
		}
	}
	return unlinked;
}

/* Are all columns of a unique index bound? */
static bool
key_is_bound(const DpFromItem *leaf, Relation index, List *equalities, Relids joined)
{
	if (!dp_query_key_is_in_force(index))
		return false;
	for (int i = 0; i < index->rd_index->indnkeyatts; i++)
		if (!dp_query_is_bound(leaf, index->rd_index->indkey.values[i], index->rd_opfamily[i],
							   equalities, joined))
			return false;
	return true;
}

/*
 * Has an item at most one row for each row of those joined before?  Clears
 * *certain if an older snapshot might see it otherwise.
 */
static bool
matches_once(const DpFromItem *leaf, List *equalities, Relids joined, bool *certain)
{
	Relation	relation;
	ListCell   *lc;
	bool		found = false;
	bool		old = false;

	if (leaf->is_protected && leaf->contribution.row_is_unit && leaf->link == NULL)
	{
		Var		   *unit = linitial_node(Var, leaf->contribution.units);

		if (dp_query_is_bound(leaf, unit->varattno, dp_query_default_family(unit->vartype),
							  equalities, joined))
			return true;
	}
	if (leaf->rte->rtekind == RTE_FUNCTION)
		return dp_query_public_rows_match_once(leaf, equalities, joined);
	if (leaf->rte->rtekind != RTE_RELATION)
		return false;
	relation = table_open(leaf->rte->relid, NoLock);
	foreach(lc, RelationGetIndexList(relation))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (key_is_bound(leaf, index, equalities, joined))
		{
			found = true;
			old = old || dp_query_key_is_old(index, relation);
		}
		index_close(index, AccessShareLock);
	}
	table_close(relation, NoLock);
	if (found)
		*certain = *certain && old;
	return found;
}

/* Join everything to a base; the first item that could multiply its rows, or NULL. */
static DpFromItem *
find_multiplying(List *leaves, List *equalities, DpFromItem *base, bool *certain)
{
	Relids		joined = bms_make_singleton(base->varno);
	DpFromItem *multiplying = NULL;
	bool		progress = true;

	*certain = true;
	while (progress)
	{
		ListCell   *lc;

		progress = false;
		multiplying = NULL;
		foreach(lc, leaves)
		{
			DpFromItem *leaf = lfirst(lc);

			if (bms_is_member(leaf->varno, joined))
				continue;
			if (matches_once(leaf, equalities, joined, certain))
			{
				joined = bms_add_member(joined, leaf->varno);
				progress = true;
			}
			else if (multiplying == NULL)
				multiplying = leaf;
		}
	}
	return multiplying;
}

/*
 * The base, to each row of which there is at most one row of every other item; or
 * why there is none.
 */
static DpReason *
find_base(List *leaves, List *equalities, int location, DpFromItem **base, bool *certain)
{
	const char *multiplying = "";
	ListCell   *lc;

	*certain = false;
	foreach(lc, leaves)
	{
		DpFromItem *leaf = lfirst(lc);
		DpFromItem *other;

		if (!leaf->is_protected || leaf->nullable)
			continue;
		other = find_multiplying(leaves, equalities, leaf, certain);
		if (other == NULL)
		{
			*base = leaf;
			return NULL;
		}
		multiplying = other->rte->eref->aliasname;
	}
	return dp_query_reason(location,
						   "Join it by equality on all columns of a unique key, or group it by the privacy unit in a sub-select.",
						   "joining \"%s\" can multiply rows, which is not allowed in a differentially private query",
						   multiplying);
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
		return dp_query_reason(location, DP_FROM_HINT,
							   "a differentially private aggregate needs a protected table in FROM");
	if (get_rel_relkind(relid) == RELKIND_FOREIGN_TABLE)
		hint = "A foreign table can be protected only as a partition: select from the partitioned table.";
	else if (get_rel_relispartition(relid))
		hint = "A partition cannot be asked about by itself: select from the partitioned table, with a condition on its key.";
	else if (has_superclass(relid))
		hint = "A table that inherits from another cannot be protected.";
	return dp_query_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE, location, hint,
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
			return dp_query_reason(location, "Query each data set in a statement of its own.",
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

/* What the join's rows contribute, as seen from the base. */
static void
combine(List *leaves, DpFromItem *base, bool certain, DpContribution *contribution)
{
	ListCell   *lc;

	*contribution = base->contribution;
	contribution->row_is_unit = base->contribution.row_is_unit && certain;
	foreach(lc, leaves)
	{
		DpFromItem *leaf = lfirst(lc);

		if (leaf == base || !leaf->is_protected)
			continue;
		contribution->tables = list_concat(contribution->tables, leaf->contribution.tables);
		contribution->grouped = list_concat(contribution->grouped, leaf->contribution.grouped);
		if (leaf->nullable)
			continue;
		if (contribution->units == NIL)
			contribution->unit_not_null = leaf->contribution.unit_not_null;
		contribution->units = list_concat(contribution->units, leaf->contribution.units);
	}
}

/* What to write where an item is not joined by its unit. */
static const char *
unlinked_hint(List *leaves)
{
	ListCell   *lc;

	foreach(lc, leaves)
		if (((DpFromItem *) lfirst(lc))->link)
			return "Join by all columns of the foreign key that leads to the privacy unit, at the top level of AND.";
	return "Join protected tables by equality of their privacy units, at the top level of AND.";
}

DpReason *
dp_query_link(List *leaves, List *conditions, int location, DpContribution *contribution)
{
	List	   *equalities = dp_query_equalities(conditions);
	DpFromItem *unlinked;
	DpFromItem *base = NULL;
	bool		certain = false;
	DpReason   *reason = check_tables(leaves, location);

	if (reason)
		return reason;
	unlinked = find_unlinked(leaves, equalities, first_anchor(leaves));
	if (unlinked)
		return dp_query_reason(location, unlinked_hint(leaves),
							   "\"%s\" is not joined by its privacy unit",
							   unlinked->rte->eref->aliasname);
	reason = find_base(leaves, equalities, location, &base, &certain);
	if (base)
	{
		combine(leaves, base, certain, contribution);
		dp_query_mark_untrusted(leaves, contribution->tables);
	}
	return reason;
}
