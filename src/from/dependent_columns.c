/* SPDX-License-Identifier: PostgreSQL */
/*
 * dependent_columns.c
 *	  Columns that stand outside GROUP BY because a primary key in it determines them.
 *
 *		SELECT c.id, c.name, count(*) FROM clinics c JOIN visits v ON v.clinic = c.id GROUP BY c.id
 *
 * PostgreSQL takes c.name from any row of the group, as long as the key is there: the parser
 * has checked that, and a plan is made anew once the table changes.  Here nothing rests on
 * that.  A block groups by the column as well, and a subquery takes its least value; both
 * mean the same as long as the key holds, and are what a query may ask in any case.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parse_func.h"
#include "parser/parse_oper.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "from/dependent_columns.h"
#include "from/from_item.h"
#include "tree/named_columns.h"

/*
 * Columns that their table's owner has closed (dp_agg.hide_column).
 *
 * What counts is what the query says, after views and subqueries are looked through: a
 * view that selects a hidden column may be asked as long as nothing is made of that.
 */

/* The columns that a part of a query mentions: a list of Var. */
static List *
columns_of(Query *query, Node *part)
{
	return dp_tree_named_columns(dp_compat_flatten_joins(query, copyObject(part)));
}

/* The first of these columns that is hidden in one of the tables. */
static DpReason *
find_hidden(List *columns, List *leaves, int location)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, columns)
		foreach(lc2, leaves)
		{
			const Var  *column = lfirst(lc);
			const DpFromItem *leaf = lfirst(lc2);

			if (column->varno == leaf->varno && column->varattno > 0 &&
				leaf->rte->rtekind == RTE_RELATION && leaf->is_protected &&
				bms_is_member(column->varattno, leaf->contribution.policy.hidden))
				return dp_tree_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE,
										 column->location >= 0 ? column->location : location,
										 "The table's owner has closed it for queries, with dp_agg.hide_column.",
										 "permission denied for column \"%s\" of \"%s\"",
										 get_attname(leaf->rte->relid, column->varattno, false),
										 leaf->rte->eref->aliasname);
		}
	return NULL;
}

/* Does any of the tables have hidden columns? */
static bool
hides_any(List *leaves)
{
	ListCell   *lc;

	foreach(lc, leaves)
	{
		const DpFromItem *leaf = lfirst(lc);

		if (leaf->rte->rtekind == RTE_RELATION && leaf->is_protected &&
			leaf->contribution.policy.hidden)
			return true;
	}
	return false;
}

DpReason *
dp_from_check_hidden(Query *query, List *leaves, int location)
{
	DpReason   *reason;

	if (!hides_any(leaves))
		return NULL;
	reason = find_hidden(columns_of(query, (Node *) query->targetList), leaves, location);
	if (reason == NULL)
		reason = find_hidden(columns_of(query, query->havingQual), leaves, location);
	if (reason == NULL)
		reason = find_hidden(columns_of(query, (Node *) query->jointree), leaves, location);
	return reason;
}

Bitmapset *
dp_from_columns_read(Query *query, Index varno)
{
	Node	   *parts[] = {(Node *) query->targetList, query->havingQual, (Node *) query->jointree};
	Bitmapset  *read = NULL;
	ListCell   *lc;

	for (int i = 0; i < lengthof(parts); i++)
		foreach(lc, columns_of(query, parts[i]))
		{
			const Var  *var = lfirst(lc);

			if (IsA(var, Var) && var->varno == varno && var->varattno > 0)
				read = bms_add_member(read, var->varattno);
		}
	return read;
}

/* A query whose columns are looked at. */
typedef struct Dependents
{
	Query	   *query;
	List	   *keys;			/* what it groups by, as written */
	List	   *columns;		/* of Var: those outside GROUP BY, once each */
} Dependents;

/* Is a node for somebody else to look at: a key, an aggregate, or a query? */
static bool
is_settled(Node *node, const Dependents *dependents)
{
	return IsA(node, Query) || IsA(node, GroupingFunc) ||
		(IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0) ||
		list_member(dependents->keys, node);
}

static bool
is_own_column(Node *node)
{
	return IsA(node, Var) && ((Var *) node)->varlevelsup == 0 && ((Var *) node)->varattno > 0;
}

/* Collect columns outside GROUP BY. */
static bool
dependent_walker(Node *node, Dependents *dependents)
{
	if (node == NULL || is_settled(node, dependents))
		return false;
	if (is_own_column(node))
		dependents->columns = list_append_unique(dependents->columns, node);
	return expression_tree_walker(node, dependent_walker, dependents);
}

/* Find the columns of a query that PostgreSQL allows outside GROUP BY. */
static Dependents
find_dependent(Query *query)
{
	Dependents	dependents = {.query = query};

	if (query->constraintDeps == NIL || query->groupClause == NIL || query->groupingSets)
		return dependents;
	dependents.keys = get_sortgrouplist_exprs(query->groupClause, query->targetList);
	dependent_walker((Node *) query->targetList, &dependents);
	dependent_walker(query->havingQual, &dependents);
	return dependents;
}

/* The select list's entry of a column, added out of sight if there is none. */
static TargetEntry *
entry_of(Query *query, Var *column)
{
	TargetEntry *entry = tlist_member((Expr *) column, query->targetList);

	if (entry == NULL)
	{
		entry = makeTargetEntry((Expr *) copyObject(column), list_length(query->targetList) + 1,
								NULL, true);
		query->targetList = lappend(query->targetList, entry);
	}
	return entry;
}

/* Group by a column as well, if its type has an order. */
static void
add_key(Query *query, Var *column)
{
	SortGroupClause *clause = makeNode(SortGroupClause);
	bool		hashable;

	get_sort_group_operators(column->vartype, false, false, false, &clause->sortop, &clause->eqop,
							 NULL, &hashable);
	if (!OidIsValid(clause->sortop) || !OidIsValid(clause->eqop))
		return;
	clause->hashable = hashable;
	clause->tleSortGroupRef = assignSortGroupRef(entry_of(query, column), query->targetList);
	query->groupClause = lappend(query->groupClause, clause);
}

void
dp_from_group_dependent(Query *block)
{
	Dependents	dependents = find_dependent(block);
	ListCell   *lc;

	foreach(lc, dependents.columns)
		add_key(block, lfirst_node(Var, lc));
}

/* The aggregate that gives a value of the type if all are equal; InvalidOid if there is none. */
static Oid
common_value(Oid type)
{
	List	   *name = list_make2(makeString("pg_catalog"),
								  makeString(type == BOOLOID ? "bool_and" : "min"));
	Oid			function;

	if (get_typtype(type) == TYPTYPE_ENUM)
		type = ANYENUMOID;
	function = LookupFuncName(name, 1, &type, true);
	return function < FirstUnpinnedObjectId ? function : InvalidOid;
}

/* min(column), or NULL if the type has none. */
static Node *
least_value(const Var *column)
{
	Oid			type = column->vartype == VARCHAROID ? TEXTOID : column->vartype;
	Oid			function = common_value(type);
	Expr	   *arg = copyObject((Expr *) column);
	Aggref	   *aggref;

	if (!OidIsValid(function))
		return NULL;
	if (type != column->vartype)
		arg = (Expr *) makeRelabelType(arg, type, -1, column->varcollid, COERCE_IMPLICIT_CAST);
	aggref = makeNode(Aggref);
	aggref->aggfnoid = function;
	aggref->aggtype = type;
	aggref->aggcollid = column->varcollid;
	aggref->inputcollid = column->varcollid;
	aggref->aggargtypes = list_make1_oid(type);
	aggref->args = list_make1(makeTargetEntry(arg, 1, NULL, false));
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggsplit = AGGSPLIT_SIMPLE;
	aggref->aggno = -1;
	aggref->aggtransno = -1;
	aggref->location = column->location;
	if (type == column->vartype)
		return (Node *) aggref;
	return (Node *) makeRelabelType((Expr *) aggref, column->vartype, column->vartypmod,
									column->varcollid, COERCE_IMPLICIT_CAST);
}

/* Put the least value of each column in its place. */
static Node *
aggregate_mutator(Node *node, Dependents *dependents)
{
	if (node == NULL || is_settled(node, dependents))
		return node;
	if (is_own_column(node) && list_member(dependents->columns, node))
		return least_value((Var *) node);
	return expression_tree_mutator(node, aggregate_mutator, dependents);
}

void
dp_from_aggregate_dependent(Query *query)
{
	Dependents	dependents = find_dependent(query);
	ListCell   *lc;

	foreach(lc, dependents.columns)
	{
		if (least_value(lfirst_node(Var, lc)) != NULL)
			continue;
		add_key(query, lfirst_node(Var, lc));
		dependents.keys = lappend(dependents.keys, lfirst(lc));
		dependents.columns = foreach_delete_current(dependents.columns, lc);
	}
	if (dependents.columns == NIL)
		return;
	query->targetList = (List *) aggregate_mutator((Node *) query->targetList, &dependents);
	query->havingQual = aggregate_mutator(query->havingQual, &dependents);
	query->hasAggs = true;
}
