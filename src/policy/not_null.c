/*
 * not_null.c
 *	  What cannot be NULL; see not_null.h.
 */
#include "postgres.h"

#include "access/table.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "policy/not_null.h"

bool
dp_query_is_declared_not_null(const RangeTblEntry *rte, AttrNumber attno)
{
	Relation	relation;
	bool		not_null;

	if (rte->rtekind != RTE_RELATION || attno <= 0)
		return false;
	relation = table_open(rte->relid, NoLock);
	not_null = dp_compat_is_not_null(RelationGetDescr(relation), attno);
	table_close(relation, NoLock);
	return not_null;
}

/* Is this a column that cannot be NULL, in a FROM that puts no NULLs in its place? */
static bool
is_not_null_column(Query *query, Var *var)
{
	ListCell   *lc;

	foreach(lc, query->jointree->fromlist)
		if (!IsA(lfirst(lc), RangeTblRef))
			return false;
	return dp_query_is_declared_not_null(rt_fetch(var->varno, query->rtable), var->varattno);
}

/* Does WHERE leave out the rows of which this is NULL, by saying so? */
static bool
is_required(Node *quals, Node *expr)
{
	NullTest   *test = (NullTest *) quals;
	ListCell   *lc;

	if (quals && (IsA(quals, List) || is_andclause(quals)))
	{
		foreach(lc, IsA(quals, List) ? (List *) quals : ((BoolExpr *) quals)->args)
			if (is_required(lfirst(lc), expr))
				return true;
		return false;
	}
	return quals && IsA(quals, NullTest) && test->nulltesttype == IS_NOT_NULL &&
		equal(test->arg, expr);
}

/* Can a key be NULL?  Where in doubt, yes. */
static bool
can_be_null(Query *query, Node *expr)
{
	ListCell   *lc;

	switch (nodeTag(expr))
	{
		case T_NullTest:
		case T_BooleanTest:
		case T_DistinctExpr:
			return false;
		case T_Var:
			return !is_not_null_column(query, (Var *) expr);
		case T_BoolExpr:
			foreach(lc, ((BoolExpr *) expr)->args)
				if (can_be_null(query, lfirst(lc)))
					return true;
			return false;
		default:
			return true;
	}
}

bool
dp_query_can_be_null(Query *query, Node *expr)
{
	return can_be_null(query, expr) && !is_required(query->jointree->quals, expr);
}
