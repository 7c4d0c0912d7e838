/* SPDX-License-Identifier: PostgreSQL */
/*
 * fan_out.c
 *	  Joins that can make several rows of one, and how many at most.
 *
 * All that a row of the base becomes is one unit's, and bounded with the rest of that.  But
 * it takes time, which tells of that one row.  So
 *
 *		FROM visits v JOIN bills b ON b.person = v.person
 *
 * reads at most so many bills of a person: those kept are chosen at random, person by
 * person, whatever others have.  And public tables are looked at before anything is charged: the most
 * rows that have the same values in the columns joined, or all where none is joined by equality, may
 * be no more than that.  The work of expressions is limited for so many rows instead of one; where that is
 * too much, for as many as it allows, and no more are joined.
 *
 * Conditions on such an item alone choose its rows first.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "exact/fan_out.h"
#include "exact/sample.h"
#include "exact/work_limit.h"
#include "from/contribution.h"
#include "from/full_join.h"
#include "from/public_rows.h"
#include "from/split_rows.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

/*
 * Locations of constants, of which other constants have none: of how many rows are joined to one, and of
 * one more than that.
 */
#define PLACE_OF_LIMIT (-1000)
#define PLACE_OF_MORE (-1001)

/* The outer join that may replace an item by NULLs, or NULL. */
static JoinExpr *
outer_join_of(Node *node, Index varno)
{
	ListCell   *lc;

	if (IsA(node, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) node;

		if (IsA(join->rarg, RangeTblRef) && ((RangeTblRef *) join->rarg)->rtindex == varno)
			return join;
		return outer_join_of(join->larg, varno);
	}
	if (!IsA(node, FromExpr))
		return NULL;
	foreach(lc, ((FromExpr *) node)->fromlist)
	{
		JoinExpr   *join = outer_join_of(lfirst(lc), varno);

		if (join)
			return join;
	}
	return NULL;
}

/*
 * What the conditions that choose an item's rows say of it alone, as of the only item of a query.  That of
 * a FULL JOIN chooses none.
 */
static Node *
own_conditions(const DpFanOut *fan_out)
{
	JoinExpr   *join = outer_join_of((Node *) fan_out->query->jointree, fan_out->varno);
	Node	   *all = join == NULL ? fan_out->query->jointree->quals
		: join->jointype == JOIN_FULL ? NULL : join->quals;
	Node	   *own = NULL;
	ListCell   *lc;

	foreach(lc, make_ands_implicit((Expr *) all))
	{
		Relids		items = pull_varnos(NULL, lfirst(lc));
		int			item;

		if (bms_get_singleton_member(items, &item) && item == fan_out->varno)
			own = make_and_qual(own, copyObject(lfirst(lc)));
	}
	ChangeVarNodes(own, fan_out->varno, 1, 0);
	return own;
}

/* A query of an item alone, which goes into its range table as it is. */
static Query *
select_item(const DpFanOut *fan_out, RangeTblEntry *rte)
{
	RangeTblRef *item = makeNode(RangeTblRef);
	Query	   *query = dp_tree_make_select(NIL, makeFromExpr(list_make1(item), own_conditions(fan_out)));

	item->rtindex = 1;
	if (rte->rtekind == RTE_RELATION)
		(void) dp_compat_copy_entry(query, fan_out->query, rte);
	else
	{
		/* What its own tables are is known by their places in it. */
		RangeTblEntry *moved = makeNode(RangeTblEntry);

		*moved = *rte;
		query->rtable = list_make1(moved);
	}
	return query;
}

/* Have a query show all columns of its only item, each in its own place. */
static void
show_all(Query *query, RangeTblEntry *rte)
{
	for (int number = 1; number <= list_length(rte->eref->colnames); number++)
		dp_tree_add_column(query, dp_from_column_of_item(rte, 1, number), psprintf("c%d", number));
}

/* Have a table be known where it is now. */
static void
note_moved(DpContribution *contribution, const RangeTblEntry *rte, Query *query)
{
	ListCell   *lc;

	foreach(lc, contribution->tables)
	{
		DpTable    *table = lfirst(lc);

		if (table->rte != rte)
			continue;
		table->query = query;
		table->rte = linitial_node(RangeTblEntry, query->rtable);
	}
}

/* Keep at most so many rows of an item that can meet one row of the others. */
static void
keep_rows(DpContribution *contribution, const DpFanOut *fan_out, int limit)
{
	ListCell   *place = list_nth_cell(fan_out->query->rtable, fan_out->varno - 1);
	RangeTblEntry *rte = lfirst(place);
	Query	   *rows = select_item(fan_out, rte);
	Query	   *kept;
	ListCell   *lc;

	show_all(rows, rte);
	note_moved(contribution, rte, rows);
	kept = dp_exact_keep_some(rows, fan_out->columns, limit);
	lsecond_node(Const, castNode(OpExpr, kept->jointree->quals)->args)->location = PLACE_OF_MORE;
	foreach(lc, rows->targetList)
		dp_tree_add_column(kept, (Node *) makeVarFromTargetEntry(1, lfirst(lc)), lfirst_node(TargetEntry, lc)->resname);
	lfirst(place) = linitial(dp_tree_make_select_from(kept, rte->eref->aliasname)->rtable);
}

/* Split at most so many rows off each. */
static void
keep_parts(const DpFanOut *fan_out, int limit)
{
	Const	   *most = dp_tree_make_int8(limit);

	most->location = PLACE_OF_LIMIT;
	lthird(dp_from_splitting_call(fan_out->query)->args) = most;
}

/* A query with a row if more rows of a public item than that can meet one of the others. */
static Query *
make_check(const DpFanOut *fan_out, int limit)
{
	RangeTblEntry *rte = rt_fetch(fan_out->varno, fan_out->query->rtable);
	Query	   *query = select_item(fan_out, copyObject(rte));
	ListCell   *lc;

	foreach(lc, fan_out->columns)
	{
		Node	   *column = dp_from_column_of_item(rte, 1, lfirst_int(lc));

		query->jointree->quals = make_and_qual(query->jointree->quals, dp_tree_make_not_null(copyObject(column)));
		dp_tree_add_group(query, column, "key", false);
	}
	query->hasAggs = true;
	query->havingQual = (Node *)
		make_opclause(Int8LessOperator, BOOLOID, false, (Expr *) dp_tree_make_int8(limit),
					  (Expr *) dp_tree_make_count(NULL), InvalidOid, InvalidOid);
	linitial_node(Const, ((OpExpr *) query->havingQual)->args)->location = PLACE_OF_LIMIT;
	dp_tree_add_column(query, (Node *) dp_tree_make_int4(1), "more");
	query->limitCount = (Node *) dp_tree_make_int8(1);
	return query;
}

char *
dp_exact_fan_out_hint(const char *ways, int rows, int most)
{
	if (most <= rows)
		return psprintf("%s. A larger dp_agg.max_join_rows does not help: expressions over more than %d rows may take longer than a millisecond.",
						ways, most);
	return psprintf("%s, or set dp_agg.max_join_rows to more.", ways);
}

/* As many rows of each of so many items, multiplied. */
static int64
rows_of(int64 each, int items)
{
	int64		rows = 1;

	for (int i = 0; i < items; i++)
		rows = Min(rows * each, PG_INT32_MAX);
	return rows;
}

/* Why so many rows of a public item that was read meet one of the others, if they do. */
static DpReason *
check_read_rows(DpBlockRewrite *rewrite, const DpFanOut *fan_out, const DpJoinLimit *limit, int location)
{
	const DpPublicReads *reads = &rewrite->statement->reads;
	const RangeTblEntry *rte = rt_fetch(fan_out->varno, fan_out->query->rtable);
	const Query *source = dp_tree_public_item_query(reads, rte);
	int			alike;
	bool		helps;

	/* How many released rows are alike is known once they are paid for. */
	if (reads->released && source && dp_tree_releases_read(source))
		return dp_tree_reason(location, "Join it by equality on all of its group keys.",
							  "joining the released rows of \"%s\" can multiply rows", rte->eref->aliasname);
	alike = dp_from_public_rows_alike(reads, rte, fan_out->columns);
	if (alike <= limit->each)
		return NULL;
	helps = rows_of(alike, list_length(rewrite->contribution.fan_outs)) <= limit->most;
	return dp_tree_reason_as(ERRCODE_PROGRAM_LIMIT_EXCEEDED, location,
							 dp_exact_fan_out_hint("Join it by more of its columns", helps ? limit->rows : limit->most, limit->most),
							 "joining \"%s\" makes more rows of one than max_join_rows allows",
							 rte->eref->aliasname);
}

/* The same of all public items that were read. */
static DpReason *
check_all_read_rows(DpBlockRewrite *rewrite, const DpJoinLimit *limit, int location)
{
	ListCell   *lc;

	foreach(lc, rewrite->contribution.fan_outs)
	{
		const DpFanOut *fan_out = lfirst(lc);
		DpReason   *reason = NULL;

		if (!fan_out->splits && !fan_out->is_protected && rt_fetch(fan_out->varno, fan_out->query->rtable)->rtekind != RTE_RELATION)
			reason = check_read_rows(rewrite, fan_out, limit, location);
		if (reason)
			return reason;
	}
	return NULL;
}

List *
dp_exact_limit_fan_outs(DpBlockRewrite *rewrite)
{
	DpContribution *contribution = &rewrite->contribution;
	int			number = list_length(contribution->fan_outs);
	List	   *checks = NIL;
	ListCell   *lc;

	foreach(lc, contribution->fan_outs)
	{
		const DpFanOut *fan_out = lfirst(lc);
		int			each = dp_from_share_of_join_rows(contribution, number);

		if (fan_out->splits)
			keep_parts(fan_out, each);
		else if (fan_out->is_protected)
			keep_rows(contribution, fan_out, each);
		else if (rt_fetch(fan_out->varno, fan_out->query->rtable)->rtekind == RTE_RELATION)
			checks = lappend(checks, make_check(fan_out, each));
	}
	return checks;
}

/* A copy in which so many rows at most are joined to one. */
static Node *
lower(Node *node, void *each)
{
	const Const *constant = (const Const *) node;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, lower, each, 0);
	if (IsA(node, Const) && (constant->location == PLACE_OF_LIMIT || constant->location == PLACE_OF_MORE))
	{
		Const	   *lowered = dp_tree_make_int8(*(int *) each + (constant->location == PLACE_OF_MORE ? 1 : 0));

		lowered->location = constant->location;
		return (Node *) lowered;
	}
	return expression_tree_mutator(node, lower, each);
}

/* The names of items that multiply rows. */
static char *
names_of(List *fan_outs)
{
	StringInfoData names;
	ListCell   *lc;

	initStringInfo(&names);
	foreach(lc, fan_outs)
	{
		const DpFanOut *fan_out = lfirst(lc);

		appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "",
						 fan_out->splits ? fan_out->splits : rt_fetch(fan_out->varno, fan_out->query->rtable)->eref->aliasname);
	}
	return names.data;
}

DpReason *
dp_exact_limit_joined_work(DpBlockRewrite *rewrite, Query **exact, List **checks, int location,
						   DpJoinLimit *limit, Size *longest)
{
	DpContribution *contribution = &rewrite->contribution;
	int			number = list_length(contribution->fan_outs);
	int			given = number > 0 ? dp_from_max_join_rows(contribution) : 1;
	Query	   *unlimited = *exact;
	DpReason   *reason;

	*limit = (DpJoinLimit) {.rows = given, .each = dp_from_share_of_join_rows(contribution, Max(number, 1))};
	reason = dp_exact_limit_work(exact, contribution, &limit->rows, rows_of(Min(limit->each, 2), number),
								 location, longest);
	if (number == 0)
		return reason;
	limit->names = names_of(contribution->fan_outs);
	limit->ways = psprintf("%sJoin it by all columns of a unique key, group it by the privacy unit in a subquery, or use fewer functions.",
						   dp_from_missing_keys(contribution->fan_outs));
	limit->most = Min(dp_exact_most_rows(unlimited, contribution), DP_MAX_MAX_JOIN_ROWS);
	if (reason)
		return dp_tree_reason(location, limit->ways,
							  "expressions over protected rows may take a row more than a millisecond where %s can multiply it",
							  limit->names);
	if (limit->rows < given)
	{
		int			each = floor(pow(limit->rows, 1.0 / number) + 1e-9);

		limit->lowered = each < limit->each;
		limit->each = each;
		*exact = (Query *) lower((Node *) *exact, &each);
		*checks = (List *) lower((Node *) *checks, &each);
	}
	return check_all_read_rows(rewrite, limit, location);
}
