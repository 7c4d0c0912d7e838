/* SPDX-License-Identifier: PostgreSQL */
/*
 * pull_up.c
 *	  Subqueries, views and WITH queries that only stand for something plainer.
 *
 * Whatever FROM names is brought into one of two forms: a table, or a
 * subquery
 *
 *		SELECT keys, plain aggregates FROM ... WHERE ... GROUP BY keys
 *
 * in which nothing else happens (grouped_subquery.c), or one in which nothing happens but
 * window functions (window_subquery.c).  Filters, projections and renaming
 * around them are merged into the block, where all of it is validated as if it
 * had been written there.  A view need not be readable for that: it is looked
 * through, not read, if the owner of the protected tables made it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "base/compat_planner.h"
#include "expression/refusals.h"
#include "from/contribution.h"
#include "from/dependent_columns.h"
#include "from/full_join.h"
#include "from/lateral.h"
#include "from/listed_keys.h"
#include "from/nest_full_join.h"
#include "from/nullable_columns.h"
#include "from/public_expressions.h"
#include "from/public_items.h"
#include "from/pull_up.h"
#include "from/set_operations.h"
#include "from/split_rows.h"
#include "from/split_windows.h"
#include "from/subquery.h"
#include "tree/given.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

static DpReason *simplify_from(Query *query, List *levels, DpStatement *statement, int location);

PlannerInfo *
dp_from_make_root(Query *query, ParamListInfo params)
{
	PlannerInfo *root = makeNode(PlannerInfo);

	root->parse = query;
	root->glob = makeNode(PlannerGlobal);
	root->glob->boundParams = params;
	root->query_level = 1;
	root->planner_cxt = CurrentMemoryContext;
	root->wt_param_id = -1;
	return root;
}

/* Append a WHERE to the conditions of a merged FROM. */
static void
flatten_from_expr(FromExpr *from, List **items, Node **quals)
{
	ListCell   *lc;

	*quals = make_and_qual(*quals, from->quals);
	foreach(lc, from->fromlist)
	{
		if (IsA(lfirst(lc), FromExpr))
			flatten_from_expr(lfirst(lc), items, quals);
		else
			*items = lappend(*items, lfirst(lc));
	}
}

/* Numbers of the joins below a node of the join tree. */
static Relids
joins_of(Node *node)
{
	Relids		joins = NULL;
	ListCell   *lc;

	if (IsA(node, JoinExpr))
		return bms_add_member(bms_join(joins_of(((JoinExpr *) node)->larg), joins_of(((JoinExpr *) node)->rarg)),
							  ((JoinExpr *) node)->rtindex);
	foreach(lc, IsA(node, FromExpr) ? ((FromExpr *) node)->fromlist : NIL)
		joins = bms_join(joins, joins_of(lfirst(lc)));
	return joins;
}

/* Have the range table say of no join that it is an outer one, if nothing but one side is left of it. */
static void
settle_joins(Query *query)
{
	Relids		joins = joins_of((Node *) query->jointree);
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_JOIN && !bms_is_member(foreach_current_index(lc) + 1, joins))
			rte->jointype = JOIN_INNER;
	}
}

/* Merge what can be merged into the query; one WHERE comes out. */
static void
merge(Query *query)
{
	List	   *items = NIL;
	Node	   *quals = NULL;

	dp_compat_expand_generated(dp_from_make_root(query, NULL));
	pull_up_subqueries(dp_from_make_root(query, NULL));
	dp_from_settle_lateral(query);
	flatten_from_expr(query->jointree, &items, &quals);
	query->jointree = dp_from_without_results(query, makeFromExpr(items, quals));
	settle_joins(query);
	query->targetList = (List *) dp_compat_flatten_joins(query, (Node *) query->targetList);
	query->havingQual = dp_compat_flatten_joins(query, query->havingQual);
}

/* The WITH query a reference names, among those of the levels around it. */
static CommonTableExpr *
find_with(RangeTblEntry *rte, List *levels)
{
	ListCell   *lc;

	if (rte->ctelevelsup >= list_length(levels))
		return NULL;
	foreach(lc, list_nth_node(Query, levels, rte->ctelevelsup)->cteList)
	{
		CommonTableExpr *with = lfirst_node(CommonTableExpr, lc);

		if (strcmp(with->ctename, rte->ctename) == 0)
			return with;
	}
	return NULL;
}

/* References to WITH queries in a copy of one. */
typedef struct Copied
{
	List	   *levels;			/* around the copy */
	int			depth;			/* of subqueries, the copy's own being 1 */
} Copied;

static bool
count_walker(Node *node, Copied *copied)
{
	RangeTblEntry *rte = (RangeTblEntry *) node;
	bool		found;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry) && rte->rtekind == RTE_CTE && rte->ctelevelsup >= copied->depth)
	{
		RangeTblEntry reference = *rte;
		CommonTableExpr *with;

		reference.ctelevelsup -= copied->depth;
		with = find_with(&reference, copied->levels);
		if (with)
			with->cterefcount++;
	}
	if (IsA(node, RangeTblEntry))
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, count_walker, copied);
	copied->depth++;
	found = query_tree_walker((Query *) node, count_walker, copied, QTW_EXAMINE_RTES_BEFORE);
	copied->depth--;
	return found;
}

void
dp_from_count_references(Query *copy, List *levels)
{
	Copied		copied = {.levels = levels};

	(void) count_walker((Node *) copy, &copied);
}

/*
 * Replace a reference to a WITH query by a subquery, materialized or not:
 * what is admitted gives the same rows each time.
 */
static DpReason *
inline_with(RangeTblEntry *rte, List *levels, int location)
{
	CommonTableExpr *with = find_with(rte, levels);

	if (with == NULL || rte->self_reference || with->cterecursive)
		return dp_tree_reason(location, "Write the rows' conditions in WHERE.",
							  "a recursive WITH query is not allowed in FROM of a differentially private query");
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = copyObject(castNode(Query, with->ctequery));
	if (rte->ctelevelsup > 0)
		IncrementVarSublevelsUp((Node *) rte->subquery, rte->ctelevelsup, 1);
	rte->ctename = NULL;
	rte->ctelevelsup = 0;
	rte->coltypes = NIL;
	rte->coltypmods = NIL;
	rte->colcollations = NIL;
	with->cterefcount--;

	/* The last copy takes the references of the original with it. */
	if (with->cterefcount > 0)
		dp_from_count_references(rte->subquery, levels);
	return NULL;
}

/* Forget WITH queries that nobody refers to any more, and that do nothing by themselves. */
static void
drop_unused_with(Query *query)
{
	ListCell   *lc;

	foreach(lc, query->cteList)
		if (lfirst_node(CommonTableExpr, lc)->cterefcount == 0 &&
			castNode(Query, lfirst_node(CommonTableExpr, lc)->ctequery)->commandType == CMD_SELECT)
			query->cteList = foreach_delete_current(query->cteList, lc);
}

void
dp_from_distinct_to_group(Query *query)
{
	if (query->distinctClause == NIL || query->hasDistinctOn || query->groupClause || query->hasAggs ||
		query->hasWindowFuncs)
		return;
	query->groupClause = query->distinctClause;
	query->distinctClause = NIL;
}

static DpReason *simplify_subselect(RangeTblEntry *rte, List *levels, DpStatement *statement, int location);

/*
 * Simplify each part of a UNION ALL.  Nothing merges that: OFFSET 0 keeps it by itself,
 * where its parts are read one by one.
 */
static DpReason *
simplify_parts(Query *query, List *levels, DpStatement *statement, int location)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		DpReason   *reason = simplify_subselect(rte, lcons(query, list_copy(levels)), statement, location);
		int			columns = list_length(rte->eref->colnames);

		if (reason)
			return reason;
		rte->subquery->targetList = list_truncate(rte->subquery->targetList, columns);
		if (rte->subquery->setOperations == NULL)
			merge(rte->subquery);
	}
	drop_unused_with(query);
	query->limitOffset = (Node *) dp_tree_make_int8(0);
	return NULL;
}

/* Bring a subquery into a form that can be merged, or is grouped, or unites such. */
static DpReason *
simplify_subselect(RangeTblEntry *rte, List *levels, DpStatement *statement, int location)
{
	Query	   *query = rte->subquery;
	int			own_location = exprLocation((Node *) query->targetList);
	DpReason   *reason;

	if (own_location < 0)
		own_location = location;
	dp_from_distinct_to_group(query);
	reason = dp_from_subselect_obstacle(rte, list_length(levels), own_location);
	if (reason == NULL && query->distinctClause)
		rte->subquery = dp_from_nest_distinct(query, rte->eref->aliasname);
	else if (reason == NULL && query->setOperations)
		dp_from_nest_set_operations(&rte->subquery, rte->eref->aliasname, own_location);
	query = rte->subquery;
	if (reason == NULL && query->setOperations)
	{
		rte->security_barrier = false;
		return simplify_parts(query, levels, statement, own_location);
	}
	levels = lcons(query, list_copy(levels));
	if (reason == NULL)
		dp_from_lift_expressions(query, levels, statement);
	if (reason == NULL)
		reason = dp_expression_check_sublinks(query->jointree->quals);
	if (reason == NULL)
		reason = simplify_from(query, levels, statement, own_location);
	if (reason)
		return reason;
	drop_unused_with(query);
	query->sortClause = NIL;

	/* Conditions that may be moved about tell nothing: all are validated. */
	rte->security_barrier = false;
	if (query->groupClause != NIL || query->hasAggs)
	{
		merge(query);
		dp_from_lift_expressions(query, levels, statement);
		dp_from_aggregate_dependent(query);
		reason = dp_from_split_grouped(query, rte->eref->aliasname, own_location);
		if (reason)
			return reason;
	}
	else if (query->hasWindowFuncs)
	{
		merge(query);
		dp_from_lift_expressions(query, levels, statement);
	}
	if (query->hasWindowFuncs)
		reason = dp_from_split_windows(query, rte->eref->aliasname);
	if (reason)
		return reason;
	return dp_from_projection_obstacle(query, statement);
}

/*
 * Where an outer join may put NULLs in place of a subquery's rows, only its plain
 * columns can be merged.  Computed columns would have to be NULL as well, and are
 * computed above the join, if the subquery is its side (nullable_columns.c).
 */
static DpReason *
nullable_obstacle(Query *query, JoinExpr *join, Node *node, int location)
{
	RangeTblEntry *rte;
	Query	   *given;
	ListCell   *lc;

	if (IsA(node, JoinExpr))
	{
		DpReason   *reason = nullable_obstacle(query, NULL, ((JoinExpr *) node)->larg, location);

		return reason ? reason : nullable_obstacle(query, NULL, ((JoinExpr *) node)->rarg, location);
	}
	rte = rt_fetch(castNode(RangeTblRef, node)->rtindex, query->rtable);
	if (rte->rtekind != RTE_SUBQUERY || dp_from_is_full_join(rte->subquery))
		return NULL;
	foreach(lc, rte->subquery->targetList)
	{
		Node	   *expr = (Node *) lfirst_node(TargetEntry, lc)->expr;

		if (IsA(expr, Var) && ((Var *) expr)->varlevelsup == 0)
			continue;
		given = dp_tree_given(query);
		if (join && dp_from_compute_above(query, join, ((RangeTblRef *) node)->rtindex))
			return NULL;
		dp_tree_check_unchanged(query, given);
		return dp_tree_reason(exprLocation(expr) >= 0 ? exprLocation(expr) : location,
							  "Select plain columns and aggregates there, and compute with them outside; or have ON or its own WHERE compare a plain column.",
							  "computed columns are not allowed on the nullable side of an outer join");
	}
	return NULL;
}

/* Simplify one item of FROM, which may be replaced. */
static DpReason *
simplify_item(Query *query, Node **place, List *levels, DpStatement *statement, int location)
{
	Index		varno = ((RangeTblRef *) *place)->rtindex;
	RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	Query	   *rows;
	DpReason   *reason = NULL;

	if (dp_from_lift_item(query, varno, levels, statement))
		return NULL;
	if (rte->rtekind == RTE_CTE)
		reason = inline_with(rte, levels, location);
	if (reason)
		return reason;
	reason = dp_from_split_item(query, varno, location, &rows);
	if (reason)
		return reason;
	if (rows)
	{
		merge(rows);
		dp_from_lift_expressions(rows, lcons(rows, list_copy(levels)), statement);
		*place = (Node *) makeFromExpr(NIL, NULL);
		return NULL;
	}
	dp_from_make_lateral_subselect(rte);
	if (rte->rtekind == RTE_SUBQUERY)
		return simplify_subselect(rte, levels, statement, location);
	return rte->rtekind == RTE_RELATION ? NULL : dp_from_refuse_item(rte, location);
}

/* The subquery that an item of FROM is, if it only chooses rows and computes; else NULL. */
static Query *
plain_subquery(Query *query, Node *item)
{
	RangeTblEntry *rte = IsA(item, RangeTblRef) ? rt_fetch(((RangeTblRef *) item)->rtindex, query->rtable) : NULL;
	Query	   *subquery = rte && rte->rtekind == RTE_SUBQUERY ? rte->subquery : NULL;

	if (subquery == NULL || subquery->groupClause || subquery->hasWindowFuncs || subquery->setOperations ||
		dp_from_is_full_join(subquery))
		return NULL;
	return subquery;
}

/* Does a query join anything, or what it only chooses rows of and computes with? */
static bool
has_join(Query *query)
{
	Node	   *item = (Node *) query->jointree;
	Query	   *below;

	while (IsA(item, FromExpr) && list_length(((FromExpr *) item)->fromlist) == 1)
		item = linitial(((FromExpr *) item)->fromlist);
	if (!IsA(item, RangeTblRef))
		return !IsA(item, FromExpr) || ((FromExpr *) item)->fromlist != NIL;
	below = plain_subquery(query, item);
	return below && has_join(below);
}

/* Merge what such an item reads into it; it stays by itself. */
static void
merge_item(Query *query, Node *item, List *levels, DpStatement *statement)
{
	Query	   *subquery = plain_subquery(query, item);
	RangeTblEntry *rte;

	if (subquery == NULL)
		return;
	rte = rt_fetch(((RangeTblRef *) item)->rtindex, query->rtable);
	subquery->targetList = list_truncate(subquery->targetList, list_length(rte->eref->colnames));
	merge(subquery);
	dp_from_lift_expressions(subquery, lcons(subquery, list_copy(levels)), statement);
	subquery->limitOffset = (Node *) dp_tree_make_int8(0);
}

/* Make a query of its own of a FULL JOIN whose sides are simplified. */
static DpReason *
simplify_full_join(Query *query, Node **place, List *levels, DpStatement *statement, int location)
{
	JoinExpr   *join = castNode(JoinExpr, *place);
	DpReason   *reason;

	merge_item(query, join->larg, levels, statement);
	merge_item(query, join->rarg, levels, statement);
	reason = dp_from_nest_full_join(query, place, levels, statement, location);
	if (reason)
		return reason;
	query = rt_fetch(castNode(RangeTblRef, *place)->rtindex, query->rtable)->subquery;
	return dp_expression_check_on(linitial_node(JoinExpr, query->jointree->fromlist)->quals);
}

/* Simplify the nullable side of an outer join: a join of protected rows stays by itself, and computes what it shows. */
static DpReason *
simplify_nullable(Query *query, JoinExpr *join, Node *side, List *levels, DpStatement *statement, int location)
{
	Query	   *subquery = plain_subquery(query, side);

	if (subquery == NULL || !has_join(subquery) || dp_from_names_outside(subquery, list_length(levels)) ||
		!dp_from_reads_protected(query, side))
		return nullable_obstacle(query, join, side, location);
	merge_item(query, side, levels, statement);
	return NULL;
}

/* Simplify everything below a node of the join tree, which may be replaced. */
static DpReason *
simplify_node(Query *query, Node **place, List *levels, DpStatement *statement, int location)
{
	Node	   *node = *place;
	DpReason   *reason = NULL;
	ListCell   *lc;

	if (IsA(node, RangeTblRef))
		return simplify_item(query, place, levels, statement, location);
	if (IsA(node, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) node;

		reason = simplify_node(query, &join->larg, levels, statement, location);
		if (reason == NULL)
			reason = simplify_node(query, &join->rarg, levels, statement, location);
		if (reason == NULL && IsA(join->rarg, FromExpr) && ((FromExpr *) join->rarg)->fromlist == NIL)
		{
			/*
			 * What it was is part of the left side now, and nothing refers to outputs of the
			 * join.
			 */
			if (join->rtindex > 0)
				lfirst(list_nth_cell(query->rtable, join->rtindex - 1)) = dp_from_make_unused();
			*place = (Node *) makeFromExpr(list_make1(join->larg), join->quals);
			return NULL;
		}
		if (reason == NULL)
			dp_from_join_always(query, join);
		if (reason || dp_from_match_listed(query, join))
			return reason;
		if (join->jointype == JOIN_FULL)
			return simplify_full_join(query, place, levels, statement, location);
		if (join->jointype == JOIN_RIGHT)
			reason = simplify_nullable(query, join, join->larg, levels, statement, location);
		if (join->jointype == JOIN_LEFT)
			reason = simplify_nullable(query, join, join->rarg, levels, statement, location);
		return reason;
	}
	foreach(lc, castNode(FromExpr, node)->fromlist)
	{
		reason = simplify_node(query, (Node **) &lfirst(lc), levels, statement, location);
		if (reason)
			return reason;
	}
	return NULL;
}

/* Simplify everything FROM names; `levels` are the queries around, innermost first. */
static DpReason *
simplify_from(Query *query, List *levels, DpStatement *statement, int location)
{
	Node	   *from = (Node *) query->jointree;
	DpReason   *reason = simplify_node(query, &from, levels, statement, location);

	if (reason == NULL)
		dp_from_forget_nulls(query);
	return reason;
}

DpReason *
dp_from_flatten_from(Query *block, List *levels, DpStatement *statement, int location)
{
	DpReason   *reason;

	levels = lcons(block, list_copy(levels));
	reason = simplify_from(block, levels, statement, location);
	if (reason)
		return reason;
	merge(block);
	dp_from_lift_expressions(block, levels, statement);
	drop_unused_with(block);
	return NULL;
}

static Oid
relation_owner(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* Do all these tables belong to the owner of this relation? */
static bool
owned_alike(Oid relid, List *tables)
{
	Oid			owner = relation_owner(relid);
	ListCell   *lc;

	foreach(lc, tables)
		if (((DpTable *) lfirst(lc))->owner != owner)
			return false;
	return true;
}

void
dp_from_look_through_views(Query *query, int own_entries, List *tables)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		Oid			view = dp_compat_merged_view(rte, foreach_current_index(lc), own_entries);

		if (OidIsValid(view) && owned_alike(view, tables))
			DP_PERMISSIONS(query, rte)->requiredPerms = 0;
	}
}
