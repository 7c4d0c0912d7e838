/* SPDX-License-Identifier: PostgreSQL */
/*
 * join_lists.c
 *	  Long lists that were read for IN, as rows to be joined.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "exact/join_lists.h"
#include "expression/function_cost.h"
#include "tree/make_nodes.h"

/* Shorter lists are looked up faster than they are joined. */
#define LONG_LIST 10000

static int
compare_values(const void *left, const void *right, void *order)
{
	CHECK_FOR_INTERRUPTS();
	return ApplySortComparator(*(const Datum *) left, false, *(const Datum *) right, false, order);
}

/* The values of a list in order, each once, without NULL, in memory of their own below the current one. */
static Const *
distinct_values(const Const *list, TypeCacheEntry *type, Oid collation)
{
	SortSupportData order = {.ssup_cxt = CurrentMemoryContext, .ssup_collation = collation};
	Datum	   *values;
	bool	   *nulls;
	int			count;
	int			n = 0;
	int			distinct = 0;
	Const	   *copy = makeNode(Const);
	MemoryContext old = MemoryContextSwitchTo(AllocSetContextCreate(CurrentMemoryContext, "dp_agg distinct values",
																	ALLOCSET_SMALL_SIZES));

	*copy = *list;
	PrepareSortSupportFromOrderingOp(type->lt_opr, &order);
	deconstruct_array(DatumGetArrayTypeP(list->constvalue), type->type_id, type->typlen, type->typbyval,
					  type->typalign, &values, &nulls, &count);
	for (int i = 0; i < count; i++)
		if (!nulls[i])
			values[n++] = values[i];
	qsort_arg(values, n, sizeof(Datum), compare_values, &order);
	for (int i = 0; i < n; i++)
		if (distinct == 0 || compare_values(&values[distinct - 1], &values[i], &order) != 0)
			values[distinct++] = values[i];
	copy->constvalue = PointerGetDatum(construct_array(values, distinct, type->type_id, type->typlen,
													   type->typbyval, type->typalign));
	pfree(values);
	pfree(nulls);
	MemoryContextSwitchTo(old);
	return copy;
}

/* Does a condition look a value up in a long list, as equal in the order of the list's type? */
static bool
looks_up(Node *condition)
{
	ScalarArrayOpExpr *call = (ScalarArrayOpExpr *) condition;
	Const	   *list;

	if (!IsA(call, ScalarArrayOpExpr) || !call->useOr || !IsA(lsecond(call->args), Const))
		return false;
	list = lsecond_node(Const, call->args);
	return !list->constisnull && dp_expression_list_length(list) > LONG_LIST &&
		contain_var_clause(linitial(call->args)) &&
		list_member_oid(get_mergejoin_opfamilies(call->opno), dp_tree_default_family(get_element_type(list->consttype)));
}

/* Add the values of a list to FROM; returns the condition that joins them. */
static Node *
join_list(Query *query, ScalarArrayOpExpr *call)
{
	Const	   *list = lsecond_node(Const, call->args);
	TypeCacheEntry *type = lookup_type_cache(get_element_type(list->consttype), TYPECACHE_LT_OPR);
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Oid			collation = OidIsValid(call->inputcollid) ? call->inputcollid : list->constcollid;
	Var		   *value;

	rte->rtekind = RTE_FUNCTION;
	rte->functions = list_make1(dp_tree_make_unnest((Node *) distinct_values(list, type, collation)));
	rte->eref = makeAlias("list", list_make1(makeString("value")));
	rte->inFromCl = true;
	query->rtable = lappend(query->rtable, rte);
	ref->rtindex = list_length(query->rtable);
	query->jointree->fromlist = lappend(query->jointree->fromlist, ref);
	value = makeVar(ref->rtindex, 1, type->type_id, -1, list->constcollid, 0);
	return (Node *) make_opclause(call->opno, BOOLOID, false, linitial(call->args), (Expr *) value,
								  InvalidOid, call->inputcollid);
}

static Node *
join_lists_in(Query *query, Node *quals)
{
	List	   *conditions = NIL;
	ListCell   *lc;

	foreach(lc, make_ands_implicit((Expr *) quals))
		conditions = lappend(conditions, looks_up(lfirst(lc)) ? join_list(query, lfirst(lc)) : lfirst(lc));
	return (Node *) make_ands_explicit(conditions);
}

static bool
has_long_list(Node *quals)
{
	ListCell   *lc;

	foreach(lc, make_ands_implicit((Expr *) quals))
		if (looks_up(lfirst(lc)))
			return true;
	return false;
}

void
dp_exact_join_lists(Query *exact)
{
	ListCell   *lc;

	if (exact->jointree->quals && !IsA(exact->jointree->quals, List) && has_long_list(exact->jointree->quals))
		exact->jointree->quals = join_lists_in(exact, exact->jointree->quals);
	foreach(lc, exact->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY && rte->subquery)
			dp_exact_join_lists(rte->subquery);
	}
}
