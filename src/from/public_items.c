/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_items.c
 *	  Items of FROM that read no protected row and are no plain tables.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "expression/allow_list.h"
#include "expression/fold_constants.h"
#include "expression/refusals.h"
#include "expression/validate.h"
#include "from/public_items.h"
#include "from/public_query.h"
#include "from/subquery.h"
#include "from/table_trust.h"
#include "tree/make_nodes.h"
#include "tree/named_columns.h"
#include "tree/public_params.h"

/* The query that an item stands for, or NULL. */
static Query *
query_of(const RangeTblEntry *rte, List *levels)
{
	CommonTableExpr *with;
	int			place;

	if (rte->rtekind == RTE_SUBQUERY)
		return rte->subquery;
	if (rte->rtekind != RTE_CTE || rte->self_reference)
		return NULL;
	with = dp_from_find_with(rte, levels, 0, &place);
	return with == NULL || with->cterecursive || !IsA(with->ctequery, Query) ? NULL : (Query *) with->ctequery;
}

/* Is every expression of a query one that a block may have? */
static bool
is_valid(Query *query, DpStatement *statement)
{
	DpReason   *reason = NULL;
	ListCell   *lc;

	if (query->hasSubLinks)
		return false;
	foreach(lc, query->targetList)
		if (reason == NULL)
			(void) dp_expression_validate_expression(query, (Node *) lfirst_node(TargetEntry, lc)->expr, statement, &reason);
	return reason == NULL;
}

static bool is_mergeable(Query *query, List *levels, DpStatement *statement);

/* Do all items of a join tree become plain tables of the block, and its conditions part of it? */
static bool
joins_tables(Query *query, Node *node, List *levels, DpStatement *statement)
{
	Node	   *quals = NULL;
	DpReason   *reason = NULL;
	ListCell   *lc;

	if (IsA(node, RangeTblRef))
	{
		RangeTblEntry *rte = rt_fetch(((RangeTblRef *) node)->rtindex, query->rtable);
		Query	   *inner = query_of(rte, levels);

		if (rte->rtekind == RTE_RELATION)
			return dp_from_may_join_table(rte);
		return inner && !rte->lateral && is_mergeable(inner, levels, statement);
	}
	if (IsA(node, JoinExpr))
	{
		quals = ((JoinExpr *) node)->quals;
		if (!joins_tables(query, ((JoinExpr *) node)->larg, levels, statement) ||
			!joins_tables(query, ((JoinExpr *) node)->rarg, levels, statement))
			return false;
	}
	else
	{
		quals = castNode(FromExpr, node)->quals;
		foreach(lc, ((FromExpr *) node)->fromlist)
			if (!joins_tables(query, lfirst(lc), levels, statement))
				return false;
	}
	(void) dp_expression_validate_expression(query, quals, statement, &reason);
	return reason == NULL;
}

/* Is it a subquery over plain tables with nothing that a block may not have? */
static bool
is_mergeable(Query *query, List *levels, DpStatement *statement)
{
	RangeTblEntry rte = {.type = T_RangeTblEntry, .rtekind = RTE_SUBQUERY, .subquery = query};

	if (query->groupClause || query->hasAggs || query->havingQual || query->cteList || query->hasRowSecurity ||
		query->setOperations || query->distinctClause || query->hasWindowFuncs ||
		dp_from_subselect_obstacle(&rte, list_length(levels), -1) || !is_valid(query, statement))
		return false;
	return joins_tables(query, (Node *) query->jointree, lcons(query, list_copy(levels)), statement);
}

/* Is it a constant 1 or 0, of whatever integer type, that no user code computes? */
static bool
is_one_at_most(Node *limit)
{
	const Const *constant = dp_expression_constant(limit, NULL);

	return constant && constant->consttype == INT8OID && !constant->constisnull &&
		DatumGetInt64(constant->constvalue) <= 1;
}

/* Is it a list of VALUES with one row? */
static bool
is_one_row_of_values(Query *query)
{
	RangeTblRef *item = list_length(query->jointree->fromlist) == 1 ? linitial(query->jointree->fromlist) : NULL;
	RangeTblEntry *rte = item && IsA(item, RangeTblRef) ? rt_fetch(item->rtindex, query->rtable) : NULL;

	return rte && rte->rtekind == RTE_VALUES && list_length(rte->values_lists) == 1;
}

/* Is a query what has become of a block without keys, which releases one row? */
static bool
is_released_row(const Query *query, const DpPublicReads *reads)
{
	const DpReleasedBlock *block = dp_tree_released_block(reads, query);

	return block && block->of_groups && block->given->groupClause == NIL && !block->given->hasTargetSRFs &&
		!block->given->groupingSets;
}

/* Has a query one row at most, as far as its text tells? */
static bool
has_one_row_at_most(Query *query, const DpPublicReads *reads)
{
	if (query->limitOption == LIMIT_OPTION_COUNT && query->limitCount && is_one_at_most(query->limitCount))
		return true;
	if (query->setOperations || query->hasTargetSRFs || query->groupingSets)
		return false;
	if (query->groupClause)
		return false;
	return query->hasAggs || query->jointree->fromlist == NIL || is_one_row_of_values(query) ||
		is_released_row(query, reads);
}

/* Is there nothing that could leave its one row out? */
static bool
keeps_one_row(Query *query)
{
	return query->limitCount == NULL && query->limitOffset == NULL && query->havingQual == NULL &&
		(query->hasAggs || query->jointree->quals == NULL);
}

/* Does anything in a join tree read what is private? */
static bool
has_private(Query *query, Node *node, List *levels)
{
	ListCell   *lc;

	if (IsA(node, RangeTblRef))
		return !dp_from_is_public_entry(rt_fetch(((RangeTblRef *) node)->rtindex, query->rtable), levels);
	if (IsA(node, JoinExpr))
		return has_private(query, ((JoinExpr *) node)->larg, levels) ||
			has_private(query, ((JoinExpr *) node)->rarg, levels);
	foreach(lc, castNode(FromExpr, node)->fromlist)
		if (has_private(query, lfirst(lc), levels))
			return true;
	return false;
}

/*
 * Is an item joined in a way that an item of one row can be left out of, its columns being
 * values?  Not where an outer join puts NULLs in its place, nor where it alone lists keys.
 */
static bool
may_vanish(Query *query, Node *node, Index varno, List *levels)
{
	JoinExpr   *join = (JoinExpr *) node;
	ListCell   *lc;

	if (IsA(node, RangeTblRef))
		return ((RangeTblRef *) node)->rtindex == varno;
	if (IsA(node, JoinExpr))
		return ((join->jointype == JOIN_INNER || (join->jointype == JOIN_LEFT && has_private(query, join->larg, levels))) &&
				may_vanish(query, join->larg, varno, levels)) ||
			((join->jointype == JOIN_INNER || (join->jointype == JOIN_RIGHT && has_private(query, join->rarg, levels))) &&
			 may_vanish(query, join->rarg, varno, levels));
	foreach(lc, castNode(FromExpr, node)->fromlist)
		if (may_vanish(query, lfirst(lc), varno, levels))
			return true;
	return false;
}

/* SELECT FROM the item, with nothing selected yet; the item's number there is 1. */
static Query *
select_from_item(const Query *query, Index varno, List *levels)
{
	RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	Query	   *source = dp_tree_make_select(NIL, NULL);
	RangeTblRef *ref = makeNode(RangeTblRef);

	if (OidIsValid(rte->relid) && DP_HAS_PERMISSIONS(rte))
		(void) dp_compat_copy_entry(source, query, rte);
	else
		source->rtable = list_make1(copyObject(rte));
	linitial_node(RangeTblEntry, source->rtable)->lateral = false;
	ChangeVarNodes((Node *) linitial_node(RangeTblEntry, source->rtable)->securityQuals, varno, 1, 0);
	source->hasRowSecurity = query->hasRowSecurity;
	ref->rtindex = 1;
	source->jointree = makeFromExpr(list_make1(ref), NULL);
	source->hasSubLinks = checkExprHasSubLink((Node *) rte->functions) ||
		checkExprHasSubLink((Node *) rte->values_lists) || checkExprHasSubLink((Node *) rte->securityQuals);
	dp_from_bring_with(source, levels);
	return source;
}

/* The columns of the item that such a query selects from; of those that were dropped, NULL. */
static List *
item_columns(RangeTblEntry *rte)
{
	List	   *columns;

	DP_EXPAND_ENTRY(rte, 1, NULL, &columns);
	return columns;
}

static Const *
nothing_of(Oid type)
{
	return makeConst(type, -1, InvalidOid, get_typlen(type), (Datum) 0, true, get_typbyval(type));
}

/* Have an item be the values of its one row, of which it is known that it is there, or not. */
static void
make_values(Query *query, Index varno, List *levels, DpStatement *statement, bool is_there)
{
	RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	Query	   *source = select_from_item(query, varno, levels);
	Bitmapset  *named = dp_tree_named_columns_of((Node *) query, varno);
	Query	   *values = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	List	   *columns = item_columns(rte);
	Param	   *first;
	int			read = is_there ? 0 : 1;

	if (!is_there || named == NULL)
		dp_tree_add_column(source, makeBoolConst(true, false), "found");
	for (int column = -1; (column = bms_next_member(named, column)) >= 0;)
		dp_tree_add_column(source, list_nth(columns, column - 1),
						   strVal(list_nth(rte->eref->colnames, column - 1)));
	first = dp_tree_add_public_query(&statement->reads, source, -1);
	if (!is_there)
		values->jointree->quals = (Node *) first;
	for (int column = 1; column <= list_length(columns); column++)
		dp_tree_add_column(values, bms_is_member(column, named)
						   ? (Node *) dp_tree_public_column(first, source, read++) : (Node *) nothing_of(INT4OID),
						   strVal(list_nth(rte->eref->colnames, column - 1)));
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = values;
}

/* Expression of a column of a query: its own, or that of its one row of VALUES. */
static Node *
expression_of(Query *query, TargetEntry *target)
{
	Var		   *column = (Var *) target->expr;

	if (query->jointree->fromlist == NIL || !IsA(column, Var))
		return (Node *) target->expr;
	return list_nth(linitial_node(List, rt_fetch(column->varno, query->rtable)->values_lists), column->varattno - 1);
}

/*
 * Have an item be the constants it consists of, as if they were written where they are named;
 * false if it has others.
 */
static bool
make_constants(RangeTblEntry *rte, Query *inner, DpStatement *statement)
{
	Query	   *constants = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	ListCell   *lc;

	if (inner->hasAggs || inner->hasWindowFuncs || inner->cteList || inner->distinctClause || inner->setOperations ||
		(inner->jointree->fromlist != NIL && !is_one_row_of_values(inner)))
		return false;
	foreach(lc, inner->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		Node	   *expr = expression_of(inner, target);

		if (target->resjunk || checkExprHasSubLink(expr) || dp_expression_constant(expr, statement->params) == NULL)
			return false;
		dp_tree_add_column(constants, expr, target->resname ? target->resname : "");
	}
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = copyObject(constants);
	return true;
}

/*
 * Can values of a type be those of an array?  Arrays cannot, since those in an array have one
 * size: such columns are refused where they are named.  A domain is looked upon as what it is over.
 */
static bool
can_be_element(Oid type)
{
	Oid			base = getBaseType(type);

	return OidIsValid(get_array_type(type)) && !OidIsValid(get_element_type(type)) &&
		(dp_expression_type_is_allowed(base) || (base < FirstUnpinnedObjectId && dp_expression_is_container(base)));
}

/* Have an item be the values of its columns, side by side. */
static void
make_arrays(Query *query, Index varno, List *levels, DpStatement *statement)
{
	RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	Query	   *source = select_from_item(query, varno, levels);
	Bitmapset  *named = dp_tree_named_columns_of((Node *) query, varno);
	Param	   *first;
	List	   *functions = NIL;
	List	   *columns = item_columns(rte);
	int			count = list_length(columns);
	int		   *read = palloc0((count + 1) * sizeof(int));

	source->hasAggs = true;
	for (int column = 1; column <= count; column++)
	{
		Node	   *value = list_nth(columns, column - 1);

		if (!bms_is_member(column, named) || !can_be_element(exprType(value)))
			continue;
		dp_tree_add_column(source, (Node *) dp_tree_make_array_agg(value),
						   strVal(list_nth(rte->eref->colnames, column - 1)));
		read[column] = list_length(source->targetList);
	}
	if (source->targetList == NIL)
	{
		dp_tree_add_column(source, (Node *) dp_tree_make_array_agg((Node *) dp_tree_make_int4(1)), "row");
		read[1] = 1;
	}
	first = dp_tree_add_public_query(&statement->reads, source, -1);
	for (int column = 1; column <= count; column++)
		functions = lappend(functions, dp_tree_make_unnest(read[column] > 0
														   ? (Node *) dp_tree_public_column(first, source, read[column] - 1)
														   : (Node *) nothing_of(INT4ARRAYOID)));
	rte->rtekind = RTE_FUNCTION;
	rte->subquery = NULL;
	rte->functions = functions;
}

/* Have an entry hold nothing of what it was but its names. */
static void
forget_kind(RangeTblEntry *rte)
{
	RangeTblEntry *fresh = makeNode(RangeTblEntry);

	fresh->rtekind = rte->rtekind;
	fresh->subquery = rte->rtekind == RTE_SUBQUERY ? rte->subquery : NULL;
	fresh->functions = rte->rtekind == RTE_FUNCTION ? rte->functions : NIL;
	fresh->alias = rte->alias;
	fresh->eref = rte->eref;
	fresh->inFromCl = rte->inFromCl;
	*rte = *fresh;
}

/* Is it an item that stays in the block, if it is public: a table to be joined, or what is made of such? */
static bool
stays(Query *query, RangeTblEntry *rte, List *levels, DpStatement *statement)
{
	Query	   *inner = query_of(rte, levels);

	/* If FROM has released rows alone, plain SQL aggregates them. */
	if (inner && statement->reads.released && dp_tree_releases_read(inner) &&
		!has_private(query, (Node *) query->jointree, levels))
		return true;
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return dp_from_is_joined_as_table(rte) || !has_private(query, (Node *) query->jointree, levels);
		case RTE_SUBQUERY:
		case RTE_CTE:
			return inner && is_mergeable(inner, levels, statement);
		case RTE_FUNCTION:
		case RTE_VALUES:
		case RTE_TABLEFUNC:
			return false;
		default:
			return true;
	}
}

bool
dp_from_lift_item(Query *query, Index varno, List *levels, DpStatement *statement)
{
	RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	Query	   *inner = query_of(rte, levels);

	if (!dp_from_is_public_entry(rte, levels) || stays(query, rte, levels, statement))
		return false;
	if (inner && has_one_row_at_most(inner, &statement->reads) && may_vanish(query, (Node *) query->jointree, varno, levels))
	{
		if (!keeps_one_row(inner) || !make_constants(rte, inner, statement))
			make_values(query, varno, levels, statement, keeps_one_row(inner));
	}
	else
		make_arrays(query, varno, levels, statement);
	forget_kind(rte);
	return true;
}

/* A node of a join tree without what has no columns and one row; NULL if nothing is left. */
static Node *
without_results(Query *query, Node *node)
{
	List	   *items = NIL;
	ListCell   *lc;

	if (IsA(node, RangeTblRef))
		return rt_fetch(((RangeTblRef *) node)->rtindex, query->rtable)->rtekind == RTE_RESULT ? NULL : node;
	if (IsA(node, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) node;
		Node	   *left = without_results(query, join->larg);
		Node	   *right = without_results(query, join->rarg);

		if (left && right)
		{
			join->larg = left;
			join->rarg = right;
			return node;
		}
		if (join->jointype != JOIN_INNER)
			return node;
		return left == NULL && right == NULL && join->quals == NULL ? NULL
			: (Node *) makeFromExpr(left || right ? list_make1(left ? left : right) : NIL, join->quals);
	}
	foreach(lc, castNode(FromExpr, node)->fromlist)
	{
		Node	   *item = without_results(query, lfirst(lc));

		if (item)
			items = lappend(items, item);
	}
	((FromExpr *) node)->fromlist = items;
	return items == NIL && ((FromExpr *) node)->quals == NULL ? NULL : node;
}

FromExpr *
dp_from_without_results(Query *query, FromExpr *from)
{
	Node	   *left = without_results(query, (Node *) from);

	return left ? castNode(FromExpr, left) : from;
}
