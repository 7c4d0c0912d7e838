/* SPDX-License-Identifier: PostgreSQL */
/*
 * idle_limits.c
 *	  LIMIT and OFFSET that leave every row where it is.
 *
 *		SELECT count(*) FROM (SELECT id FROM people OFFSET $1) p
 *
 * Programs that write SQL page the rows of a subquery whether or not there is a page.  Where the
 * values are 0 or NULL the subquery is its rows.  A plan is made for the values of its parameters
 * alone, and kept for no others.  Queries of public rows keep OFFSET 0, by which
 * people have PostgreSQL compute a subquery by itself.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "asking/idle_limits.h"
#include "expression/fold_constants.h"
#include "policy/policy.h"

/* Is there a LIMIT or OFFSET anywhere? */
static bool
has_limit_walker(Node *node, void *context)
{
	Query	   *query = (Query *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, has_limit_walker, context);
	return query->limitCount || query->limitOffset ||
		query_tree_walker(query, has_limit_walker, context, QTW_IGNORE_JOINALIASES);
}

/* Is this constant, and NULL, or where `zero` says so 0? */
static bool
is_idle(Node *limit, bool zero, ParamListInfo params)
{
	const Const *constant = limit ? dp_expression_constant(limit, params) : NULL;

	return constant && (constant->constisnull || (zero && DatumGetInt64(constant->constvalue) == 0));
}

/* Walking down: what the values are, and whether protected rows have been seen. */
typedef struct Walk
{
	ParamListInfo params;
	bool		protected;		/* by what was walked so far */
} Walk;

/* Drop idle limits in place, from the inside out.  WITH queries count as protected: where they are read from is not followed. */
static bool
drop_walker(Node *node, Walk *walk)
{
	Walk		below = {.params = walk->params};
	Query	   *query = (Query *) node;
	RangeTblEntry *rte = (RangeTblEntry *) node;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		walk->protected |= rte->rtekind == RTE_CTE || (rte->rtekind == RTE_RELATION && dp_policy_is_protected(rte->relid));
		return false;
	}
	if (!IsA(node, Query))
		return expression_tree_walker(node, drop_walker, walk);
	check_stack_depth();
	(void) query_tree_walker(query, drop_walker, &below, QTW_EXAMINE_RTES_BEFORE | QTW_IGNORE_JOINALIASES);
	if (below.protected && is_idle(query->limitOffset, true, walk->params))
		query->limitOffset = NULL;
	if (below.protected && is_idle(query->limitCount, false, walk->params))
		query->limitCount = NULL;
	if (query->limitCount == NULL)
		query->limitOption = LIMIT_OPTION_COUNT;
	walk->protected |= below.protected;
	return false;
}

Query *
dp_asking_drop_idle_limits(Query *query, ParamListInfo params)
{
	Walk		walk = {.params = params};

	if (!has_limit_walker((Node *) query, NULL))
		return query;
	query = copyObject(query);
	(void) drop_walker((Node *) query, &walk);
	return query;
}
