/*
 * no_rows.c
 *	  Statements that show no row of what they read.
 *
 *		SELECT name, count(*) FROM persons WHERE 1 = 0 GROUP BY name
 *
 * becomes
 *
 *		SELECT NULL::text AS name, count(*) WHERE false GROUP BY 1
 *
 * Clients ask such questions to learn the columns of an answer.  What is left reads no
 * table, so that no right to the protected ones is needed; of the others it is still
 * checked.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "query/nodes/find_blocks.h"
#include "query/nodes/reason.h"
#include "query/plain/no_rows.h"
#include "query/plain/select_right.h"
#include "query/policy/protected_cache.h"
#include "query/validate/fold_constants.h"
#include "settings.h"

/* Is this constant, and false or null? */
static bool
is_never(Node *condition, ParamListInfo params)
{
	const Const *constant = contain_var_clause(condition) ? NULL : dp_query_constant(condition, params);
	ListCell   *lc;

	if (constant)
		return constant->constisnull || !DatumGetBool(constant->constvalue);
	if (!is_andclause(condition))
		return false;
	foreach(lc, ((BoolExpr *) condition)->args)
		if (is_never(lfirst(lc), params))
			return true;
	return false;
}

/* Does a query show no row by its text? */
static bool
shows_nothing(Query *query, ParamListInfo params)
{
	const Const *limit = query->limitCount ? dp_query_constant(query->limitCount, params) : NULL;

	if (limit && !limit->constisnull && DatumGetInt64(limit->constvalue) == 0)
		return true;
	return query->setOperations == NULL && query->jointree->quals &&
		!checkExprHasSubLink(query->jointree->quals) && is_never(query->jointree->quals, params);
}

/* Can a query do without its FROM: is there nothing in it that does or reads more? */
static bool
is_simple(Query *query)
{
	return query->commandType == CMD_SELECT && query->utilityStmt == NULL &&
		!query->hasModifyingCTE && query->rowMarks == NIL && !dp_query_is_block(query) &&
		!checkExprHasSubLink((Node *) query->targetList) &&
		!checkExprHasSubLink(query->havingQual) &&
		!checkExprHasSubLink(query->limitCount) && !checkExprHasSubLink(query->limitOffset);
}

static Node *
null_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return (Node *) makeNullConst(((Var *) node)->vartype, ((Var *) node)->vartypmod,
									  ((Var *) node)->varcollid);
	return expression_tree_mutator(node, null_mutator, context);
}

/* Keep the relations of a query, at any depth, whose rights PostgreSQL is to check. */
static bool
keep_relations(Node *node, Query *keeper)
{
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, keep_relations, keeper);
	foreach(lc, ((Query *) node)->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		RangeTblEntry *copy;

		if (!OidIsValid(rte->relid) || !DP_HAS_PERMISSIONS(rte))
			continue;
		copy = dp_compat_copy_entry(keeper, (Query *) node, rte);
		copy->subquery = NULL;
		copy->securityQuals = NIL;
		copy->tablesample = NULL;
		if (dp_query_is_protected(rte->relid))
			DP_PERMISSIONS(keeper, copy)->requiredPerms &= ~ACL_SELECT;
	}
	return query_tree_walker((Query *) node, keep_relations, keeper, 0);
}

/* Have a query read nothing. */
static void
read_nothing(Query *query)
{
	Query	   *keeper = makeNode(Query);

	dp_compat_flatten_groups(query);
	(void) keep_relations((Node *) query, keeper);
	query->targetList = (List *) null_mutator((Node *) query->targetList, NULL);
	query->havingQual = null_mutator(query->havingQual, NULL);
	query->rtable = keeper->rtable;
	dp_compat_take_permissions(query, keeper);
	query->jointree = makeFromExpr(NIL, makeBoolConst(false, false));
	query->setOperations = NULL;
	query->cteList = NIL;
	query->hasRecursive = false;
	query->hasSubLinks = false;
	query->hasRowSecurity = false;
	query->constraintDeps = NIL;
}

/* Does a query select protected rows that the role may not read? */
static bool
selects_denied(Query *query)
{
	DpRawRows	rows;

	dp_query_find_raw_rows(query, list_make1(query), &rows);
	return rows.denied != NULL;
}

void
dp_query_empty_if_unseen(Query *query, ParamListInfo params)
{
	if (!is_simple(query) || !selects_denied(query))
		return;
	if (shows_nothing(query, params))
		read_nothing(query);
	else if (dp_settings_raw_reads == DP_RAW_READS_EMPTY &&
			 (!dp_query_aggregates_rows(query) || dp_query_groups_by_unit(query, list_make1(query))))
	{
		read_nothing(query);
		ereport(NOTICE,
				(errmsg("rows of protected tables are not shown"),
				 errhint("Ask for aggregates of them.")));
	}
}
