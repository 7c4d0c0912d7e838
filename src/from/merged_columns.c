/*
 * merged_columns.c
 *	  Columns of a FULL JOIN, and those that are the one of two which is there.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "base/compat.h"
#include "from/full_join.h"
#include "from/merged_columns.h"
#include "tree/make_nodes.h"

Node *
dp_query_column_of_side(const RangeTblEntry *rte, Index side, AttrNumber number)
{
	Var		   *column;
	Oid			type;
	int32		typmod;
	Oid			collation;

	if (rte->rtekind == RTE_SUBQUERY)
		column = makeVarFromTargetEntry(side, get_tle_by_resno(rte->subquery->targetList, number));
	else
	{
		get_atttypetypmodcoll(rte->relid, number, &type, &typmod, &collation);
		if (!OidIsValid(type))
			return (Node *) makeNullConst(INT4OID, -1, InvalidOid);
		column = makeVar(side, number, type, typmod, collation, 0);
	}
	dp_compat_set_nulled_by(column, FULL_JOIN);
	return (Node *) column;
}

/* The columns of both sides that a condition equates, that of the left side first; false if it does not. */
static bool
equates_columns(Node *condition, Var **left, Var **right)
{
	OpExpr	   *call = (OpExpr *) condition;

	if (!IsA(call, OpExpr) || list_length(call->args) != 2 || get_mergejoin_opfamilies(call->opno) == NIL)
		return false;
	*left = (Var *) dp_query_without_widening(linitial(call->args));
	*right = (Var *) dp_query_without_widening(lsecond(call->args));
	if (!IsA(*left, Var) || !IsA(*right, Var) || (*left)->varlevelsup > 0 || (*right)->varlevelsup > 0 ||
		(*left)->varattno <= 0 || (*right)->varattno <= 0)
		return false;
	if ((*left)->varno == RIGHT_SIDE)
	{
		Var		   *first = *left;

		*left = *right;
		*right = first;
	}
	return (*left)->varno == LEFT_SIDE && (*right)->varno == RIGHT_SIDE;
}

/* Have the query show the one of two columns that is there; false if they have no common type. */
static bool
show_merged(Query *query, DpMerged *merged)
{
	Node	   *args[] = {
		dp_query_column_of_side(rt_fetch(LEFT_SIDE, query->rtable), LEFT_SIDE, merged->left->varattno),
	dp_query_column_of_side(rt_fetch(RIGHT_SIDE, query->rtable), RIGHT_SIDE, merged->right->varattno)};
	Oid			type = select_common_type(NULL, list_make2(args[0], args[1]), NULL, NULL);
	CoalesceExpr *either = makeNode(CoalesceExpr);

	if (!OidIsValid(type))
		return false;
	for (int i = 0; i < lengthof(args); i++)
	{
		args[i] = coerce_to_target_type(NULL, args[i], exprType(args[i]), type, -1, COERCION_IMPLICIT,
										COERCE_IMPLICIT_CAST, -1);
		if (args[i] == NULL)
			return false;
	}
	either->coalescetype = type;
	either->coalescecollid = exprCollation(args[0]);
	either->args = list_make2(args[0], args[1]);
	either->location = -1;
	dp_query_add_column(query, (Node *) either,
						get_rte_attribute_name(rt_fetch(LEFT_SIDE, query->rtable), merged->left->varattno));
	merged->number = list_length(query->targetList);
	return true;
}

List *
dp_query_show_merged(Query *query, Node *quals)
{
	List	   *shown = NIL;
	ListCell   *lc;

	foreach(lc, make_ands_implicit((Expr *) quals))
	{
		DpMerged   *merged = palloc0(sizeof(DpMerged));

		if (equates_columns(lfirst(lc), &merged->left, &merged->right) && show_merged(query, merged))
			shown = lappend(shown, merged);
	}
	return shown;
}
