/* SPDX-License-Identifier: PostgreSQL */
/*
 * listed_keys.c
 *	  Which keys public tables list, and the query that reads them.
 *
 * Where a public table is left-joined to protected rows only the rows that match count,
 * so the exact totals are those of an inner join.  The keys, however, are those of all
 * its rows: they come from the public tables and the conditions on these alone, and
 * what stands on the other side of the join cannot change them.  Where WHERE or a
 * further join asks for more, existence of a key would depend on protected rows; then
 * it is private, as in any inner join.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "from/contribution.h"
#include "from/from_item.h"
#include "from/listed_keys.h"
#include "from/nullable_columns.h"
#include "policy/policy.h"
#include "tree/make_nodes.h"

bool
dp_from_reads_protected(Query *query, Node *item)
{
	ListCell   *lc;

	if (IsA(item, RangeTblRef))
	{
		RangeTblEntry *rte = rt_fetch(((RangeTblRef *) item)->rtindex, query->rtable);
		DpPolicy	policy;

		/* A UNION ALL is one of parts that do. */
		if (rte->rtekind == RTE_SUBQUERY && rte->subquery->setOperations)
			return true;
		if (rte->rtekind == RTE_SUBQUERY)
			return dp_from_reads_protected(rte->subquery, (Node *) rte->subquery->jointree);
		return rte->rtekind == RTE_RELATION && dp_policy_policy_get(rte->relid, &policy);
	}
	if (IsA(item, JoinExpr))
		return dp_from_reads_protected(query, ((JoinExpr *) item)->larg) ||
			dp_from_reads_protected(query, ((JoinExpr *) item)->rarg);
	foreach(lc, castNode(FromExpr, item)->fromlist)
		if (dp_from_reads_protected(query, lfirst(lc)))
			return true;
	return false;
}

bool
dp_from_match_listed(Query *query, JoinExpr *join)
{
	bool		left = join->jointype == JOIN_LEFT;

	if ((!left && join->jointype != JOIN_RIGHT) ||
		dp_from_reads_protected(query, left ? join->larg : join->rarg) ||
		!dp_from_reads_protected(query, left ? join->rarg : join->larg))
		return false;
	join->jointype = JOIN_INNER;
	return true;
}

Node *
dp_from_listing_side(Query *query, JoinExpr *join, Node **matched)
{
	JoinType	written = join->rtindex > 0 ? rt_fetch(join->rtindex, query->rtable)->jointype
		: join->jointype;

	if (join->jointype != JOIN_INNER || (written != JOIN_LEFT && written != JOIN_RIGHT))
		return NULL;
	*matched = written == JOIN_LEFT ? join->rarg : join->larg;
	return written == JOIN_LEFT ? join->larg : join->rarg;
}

/* Collect the joins that dp_from_match_listed changed. */
static void
collect_matched(Query *query, Node *item, Relids *joins)
{
	ListCell   *lc;

	if (IsA(item, FromExpr))
		foreach(lc, ((FromExpr *) item)->fromlist)
			collect_matched(query, lfirst(lc), joins);
	else if (IsA(item, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) item;
		Node	   *matched;

		if (dp_from_listing_side(query, join, &matched))
			*joins = bms_add_member(*joins, join->rtindex);
		collect_matched(query, join->larg, joins);
		collect_matched(query, join->rarg, joins);
	}
}

void
dp_from_forget_nulls(Query *query)
{
	Relids		joins = NULL;

	collect_matched(query, (Node *) query->jointree, &joins);
	if (joins)
		dp_from_forget_nulls_of(query, joins);
}

/* The item of FROM with this number. */
static const DpFromItem *
find_leaf(List *leaves, Index varno)
{
	ListCell   *lc;

	foreach(lc, leaves)
		if (((DpFromItem *) lfirst(lc))->varno == varno)
			return lfirst(lc);
	elog(ERROR, "no item of FROM has number %u", varno);
}

/*
 * The public tables whose rows are there whatever matches them; NULL if a
 * protected one decides that too.
 */
static Relids
find_listed(List *leaves)
{
	Relids		listed = NULL;
	ListCell   *lc;

	foreach(lc, leaves)
	{
		const DpFromItem *leaf = lfirst(lc);

		if (leaf->matched || leaf->nullable)
			continue;
		if (leaf->is_protected)
			return NULL;
		listed = bms_add_member(listed, leaf->varno);
	}
	return listed;
}

/* The public tables left-joined to those listed and to nothing else; adds them. */
static List *
find_listed_outer(List *outer, List *leaves, Relids *listed)
{
	List	   *joins = NIL;
	ListCell   *lc;

	foreach(lc, outer)
	{
		JoinExpr   *join = lfirst_node(JoinExpr, lc);
		const DpFromItem *leaf = find_leaf(leaves, castNode(RangeTblRef, join->rarg)->rtindex);
		Relids		with = bms_add_member(bms_copy(*listed), leaf->varno);

		if (leaf->is_protected || leaf->matched ||
			!bms_is_subset(pull_varnos(NULL, join->quals), with))
			continue;

		/* Since 16 columns that a join can make NULL name it. */
		*listed = bms_add_member(with, join->rtindex);
		join = copyObject(join);
		joins = lappend(joins, join);
	}
	return joins;
}

void
dp_from_find_listing(Query *query, List *leaves, List *conditions, List *inner, List *outer,
					 DpContribution *contribution)
{
	Relids		listed = find_listed(leaves);
	List	   *items = NIL;
	Node	   *quals = NULL;
	ListCell   *lc;

	contribution->listing = NULL;
	contribution->listed = NULL;
	if (listed == NULL)
		return;
	foreach(lc, inner)
		if (bms_is_member(castNode(RangeTblRef, lfirst(lc))->rtindex, listed))
			items = lappend(items, copyObject(lfirst(lc)));
	outer = find_listed_outer(outer, leaves, &listed);
	foreach(lc, conditions)
	{
		const DpCondition *condition = lfirst(lc);

		if (condition->inside || condition->matched)
			continue;
		if (!bms_is_subset(pull_varnos(NULL, condition->quals), listed))
			return;
		quals = make_and_qual(quals, copyObject(condition->quals));
	}
	contribution->listing = dp_tree_make_from(items, outer, quals);
	contribution->listed = listed;
}
