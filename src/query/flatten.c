/*
 * flatten.c
 *	  Sub-selects, views and SQL functions that only stand for something plainer.
 *
 * A sub-select or view in a block's FROM that filters, projects or renames the
 * rows of one table is merged into the block, where all of it is validated as
 * if it had been written there.  The view need not be readable: it is looked
 * through, not read, if the table's owner made it.
 *
 * A set-returning SQL function is expanded, as the planner would do later, so
 * that blocks in its body are found.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/prep.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "query/find.h"
#include "query/rewrite.h"

/* A planner state with just what merging and expanding need. */
static PlannerInfo *
make_root(Query *query, ParamListInfo params)
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

/* Does FROM lead through plain sub-selects to one relation? */
static bool
leads_to_relation(Query *query)
{
	RangeTblEntry *rte;
	Node	   *item;

	if (list_length(query->jointree->fromlist) != 1)
		return false;
	item = linitial(query->jointree->fromlist);
	if (!IsA(item, RangeTblRef))
		return false;
	rte = rt_fetch(((RangeTblRef *) item)->rtindex, query->rtable);
	if (rte->rtekind == RTE_RELATION)
		return true;
	return rte->rtekind == RTE_SUBQUERY && !rte->lateral && !rte->security_barrier &&
		rte->subquery->setOperations == NULL && !rte->subquery->hasSubLinks &&
		rte->subquery->rowMarks == NIL && leads_to_relation(rte->subquery);
}

void
dp_query_flatten_from(Query *block)
{
	FromExpr   *from;
	Node	   *item;
	Node	   *quals;

	if (!leads_to_relation(block))
		return;
	pull_up_subqueries(make_root(block, NULL));

	/* What was merged is a chain of FROMs, each with its own WHERE. */
	from = block->jointree;
	quals = from->quals;
	item = linitial(from->fromlist);
	while (IsA(item, FromExpr) && list_length(((FromExpr *) item)->fromlist) == 1)
	{
		from = (FromExpr *) item;
		quals = make_and_qual(quals, from->quals);
		item = linitial(from->fromlist);
	}
	block->jointree = makeFromExpr(list_make1(item), quals);
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

void
dp_query_look_through_views(Query *block, int own_entries, Oid owner)
{
	ListCell   *lc;

	for_each_from(lc, block->rtable, own_entries)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_RELATION && rte->relkind == RELKIND_VIEW &&
			relation_owner(rte->relid) == owner)
			rte->requiredPerms = 0;
	}
}

typedef struct ExpandContext
{
	ParamListInfo params;
	List	   *dependencies;
} ExpandContext;

/* Expand the functions of every query level; bodies are looked into as well. */
static bool
expand_walker(Node *node, ExpandContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		PlannerInfo *root = make_root((Query *) node, context->params);

		preprocess_function_rtes(root);
		context->dependencies = list_concat(context->dependencies, root->glob->invalItems);
		return query_tree_walker((Query *) node, expand_walker, context, 0);
	}
	return expression_tree_walker(node, expand_walker, context);
}

Query *
dp_query_expand_functions(Query *query, ParamListInfo params, List **dependencies)
{
	ExpandContext context = {.params = params};
	Query	   *expanded = copyObject(query);

	*dependencies = NIL;
	expand_walker((Node *) expanded, &context);
	if (!(dp_query_find(expanded) & DP_FINDS_OURS))
		return query;
	*dependencies = context.dependencies;
	return expanded;
}
