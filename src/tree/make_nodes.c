/* SPDX-License-Identifier: PostgreSQL */
/*
 * make_nodes.c
 *	  Building query trees.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planmain.h"
#include "parser/parse_oper.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "base/compat_planner.h"
#include "base/compat_varlena.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

/*
 * By which equality values of a type are equal.
 */

Oid
dp_tree_default_family(Oid type)
{
	/* Kept from statement to statement, until an operator class changes. */
	return OidIsValid(type) ? lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf : InvalidOid;
}

Node *
dp_tree_without_casts(Node *expr)
{
	while (expr && IsA(expr, RelabelType))
	{
		Node	   *arg = (Node *) ((RelabelType *) expr)->arg;

		if (dp_tree_default_family(exprType(expr)) != dp_tree_default_family(exprType(arg)))
			break;
		expr = arg;
	}
	return expr;
}

/*
 * Walking finished plans.
 */

List *
dp_tree_plans_below(Plan *plan)
{
	List	   *below = NIL;

	if (plan->lefttree)
		below = lappend(below, plan->lefttree);
	if (plan->righttree)
		below = lappend(below, plan->righttree);
	switch (nodeTag(plan))
	{
		case T_Append:
			return list_concat(below, ((Append *) plan)->appendplans);
		case T_MergeAppend:
			return list_concat(below, ((MergeAppend *) plan)->mergeplans);
		case T_BitmapAnd:
			return list_concat(below, ((BitmapAnd *) plan)->bitmapplans);
		case T_BitmapOr:
			return list_concat(below, ((BitmapOr *) plan)->bitmapplans);
		case T_SubqueryScan:
			return lappend(below, ((SubqueryScan *) plan)->subplan);
		case T_CustomScan:
			return list_concat(below, ((CustomScan *) plan)->custom_plans);
		default:
			return below;
	}
}

/* Keep a plan's rows.  Workers share nothing of the new node, so it needs no number of its own. */
static Plan *
materialize(Plan *plan)
{
	Plan	   *kept = materialize_finished_plan(plan);

	kept->plan_node_id = plan->plan_node_id;
	kept->extParam = bms_copy(plan->extParam);
	kept->allParam = bms_copy(plan->allParam);
	return kept;
}

void
dp_tree_read_once(Plan *plan)
{
	ListCell   *lc;

	check_stack_depth();
	if (IsA(plan, NestLoop) && ((NestLoop *) plan)->nestParams == NIL &&
		!IsA(innerPlan(plan), Material))
		innerPlan(plan) = materialize(innerPlan(plan));
	foreach(lc, dp_tree_plans_below(plan))
		dp_tree_read_once(lfirst(lc));
}

Query *
dp_tree_make_select(List *rtable, FromExpr *jointree)
{
	Query	   *query = makeNode(Query);

	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->rtable = rtable;
	query->jointree = jointree;
	return query;
}

void
dp_tree_show_by(Query *query, Query *other)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		target->ressortgroupref = 0;
		if (!target->resjunk)
			other->targetList = lappend(other->targetList, target);
	}
	other->querySource = query->querySource;
	other->queryId = query->queryId;
	other->canSetTag = query->canSetTag;
	other->stmt_location = query->stmt_location;
	other->stmt_len = query->stmt_len;
	*query = *other;
}

Query *
dp_tree_make_select_from(Query *subquery, const char *alias)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	List	   *names = NIL;
	ListCell   *lc;

	foreach(lc, subquery->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (!target->resjunk)
			names = lappend(names, makeString(pstrdup(target->resname)));
	}
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = subquery;
	rte->alias = makeAlias(alias, NIL);
	rte->eref = makeAlias(alias, names);
	rte->inFromCl = true;
	rte->security_barrier = true;
	ref->rtindex = 1;
	return dp_tree_make_select(list_make1(rte), makeFromExpr(list_make1(ref), NULL));
}

Query *
dp_tree_make_open_select_from(Query *subquery, const char *alias)
{
	Query	   *query = dp_tree_make_select_from(subquery, alias);

	linitial_node(RangeTblEntry, query->rtable)->security_barrier = false;
	return query;
}

RangeTblEntry *
dp_tree_make_open_item(Query *subquery, const char *alias)
{
	return linitial_node(RangeTblEntry, dp_tree_make_open_select_from(subquery, alias)->rtable);
}

RangeTblEntry *
dp_tree_make_join_entry(JoinType type)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);

	rte->rtekind = RTE_JOIN;
	rte->jointype = type;
	rte->eref = makeAlias("unnamed_join", NIL);
	rte->inFromCl = true;
	return rte;
}

Var *
dp_tree_add_column(Query *query, Node *expr, const char *name)
{
	int			number = list_length(query->targetList) + 1;

	query->targetList = lappend(query->targetList,
								makeTargetEntry((Expr *) expr, number, pstrdup(name), false));
	return makeVar(1, number, exprType(expr), exprTypmod(expr), exprCollation(expr), 0);
}

TargetEntry *
dp_tree_sort_target(Query *query, Node *expr, const char *name)
{
	TargetEntry *found = NULL;
	Index		last = 0;
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		last = Max(last, target->ressortgroupref);
		if (found == NULL && equal(target->expr, expr))
			found = target;
	}
	if (found == NULL)
	{
		found = makeTargetEntry((Expr *) expr, list_length(query->targetList) + 1, name ? pstrdup(name) : NULL, name == NULL);
		query->targetList = lappend(query->targetList, found);
	}
	if (found->ressortgroupref == 0)
		found->ressortgroupref = last + 1;
	return found;
}

SortGroupClause *
dp_tree_make_clause(Oid type, Index ref)
{
	SortGroupClause *clause = makeNode(SortGroupClause);

	clause->tleSortGroupRef = ref;
	get_sort_group_operators(type, true, true, false, &clause->sortop, &clause->eqop, NULL,
							 &clause->hashable);
	return clause;
}

Var *
dp_tree_add_group(Query *query, Node *expr, const char *name, bool junk)
{
	Var		   *var = dp_tree_add_column(query, expr, name);
	TargetEntry *target = llast_node(TargetEntry, query->targetList);

	target->resjunk = junk;
	target->ressortgroupref = target->resno;
	query->groupClause = lappend(query->groupClause,
								 dp_tree_make_clause(exprType(expr), target->resno));
	return var;
}

FuncExpr *
dp_tree_make_call(const char *name, const Oid *types, int ntypes, List *args, Oid result)
{
	return makeFuncExpr(dp_tree_internal_function(name, ntypes, types), result, args,
						InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* An aggregate call over args. */
static Aggref *
make_aggref(Oid funcid, List *args, Oid result)
{
	Aggref	   *aggref = makeNode(Aggref);
	ListCell   *lc;

	aggref->aggfnoid = funcid;
	aggref->aggtype = result;
	aggref->aggstar = args == NIL;
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggsplit = AGGSPLIT_SIMPLE;
	aggref->aggno = -1;
	aggref->aggtransno = -1;
	aggref->location = -1;
	foreach(lc, args)
	{
		Expr	   *arg = lfirst(lc);

		aggref->aggargtypes = lappend_oid(aggref->aggargtypes, exprType((Node *) arg));
		aggref->args = lappend(aggref->args,
							   makeTargetEntry(arg, list_length(aggref->args) + 1, NULL, false));
	}
	return aggref;
}

Aggref *
dp_tree_make_aggregate(const char *name, List *args, Oid result)
{
	Oid			types[FUNC_MAX_ARGS];
	int			n = 0;
	ListCell   *lc;

	foreach(lc, args)
		types[n++] = exprType(lfirst(lc));
	return make_aggref(dp_tree_internal_function(name, n, types), args, result);
}

Aggref *
dp_tree_make_variadic_aggregate(const char *name, List *args, int n, Oid result)
{
	Oid			types[FUNC_MAX_ARGS];

	for (int i = 0; i < n; i++)
		types[i] = exprType(list_nth(args, i));
	types[n] = ANYOID;
	return make_aggref(dp_tree_internal_function(name, n + 1, types), args, result);
}

Aggref *
dp_tree_make_unit_aggregate(const char *name, Node *unit, Node *value, Const *spec)
{
	Oid			types[] = {ANYOID, ANYOID, BYTEAOID};

	return make_aggref(dp_tree_internal_function(name, lengthof(types), types),
					   list_make3(unit, value, spec), BYTEAOID);
}

Aggref *
dp_tree_make_count(Node *arg)
{
	if (arg == NULL)
		return make_aggref(F_COUNT_, NIL, INT8OID);
	else
	{
		Aggref	   *aggref = make_aggref(F_COUNT_ANY, list_make1(arg), INT8OID);

		aggref->inputcollid = exprCollation(arg);
		return aggref;
	}
}

Aggref *
dp_tree_make_array_agg(Node *arg)
{
	Aggref	   *aggref = make_aggref(F_ARRAY_AGG_ANYNONARRAY, list_make1(arg), get_array_type(exprType(arg)));

	aggref->aggcollid = aggref->inputcollid = exprCollation(arg);
	return aggref;
}

RangeTblFunction *
dp_tree_make_unnest(Node *values)
{
	RangeTblFunction *function = makeNode(RangeTblFunction);
	FuncExpr   *call = makeFuncExpr(F_UNNEST_ANYARRAY, get_element_type(exprType(values)), list_make1(values),
									exprCollation(values), exprCollation(values), COERCE_EXPLICIT_CALL);

	call->funcretset = true;
	function->funcexpr = (Node *) call;
	function->funccolcount = 1;
	return function;
}

Const *
dp_tree_make_bytea(const void *data, Size size)
{
	bytea	   *copy = palloc(size);

	memcpy(copy, data, size);
	SET_VARSIZE(copy, size);
	return makeConst(BYTEAOID, -1, InvalidOid, -1, PointerGetDatum(copy), false, false);
}

Const *
dp_tree_make_int4(int32 value)
{
	return makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false, true);
}

Const *
dp_tree_make_int8(int64 value)
{
	return makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(value), false,
					 FLOAT8PASSBYVAL);
}

Const *
dp_tree_make_float8(double value)
{
	return makeConst(FLOAT8OID, -1, InvalidOid, sizeof(double), Float8GetDatum(value), false,
					 FLOAT8PASSBYVAL);
}

Node *
dp_tree_make_not_null(Node *expr)
{
	NullTest   *test = makeNode(NullTest);

	test->arg = (Expr *) expr;
	test->nulltesttype = IS_NOT_NULL;
	test->argisrow = false;
	test->location = -1;
	return (Node *) test;
}

void
dp_tree_read_grouped(Query *query, const Query *from)
{
	query->rtable = from->rtable;
	dp_compat_take_permissions(query, from);
	query->jointree = from->jointree;
	query->jointree->quals = query->havingQual;
	query->havingQual = NULL;
	query->groupClause = NIL;
	query->hasAggs = false;
}

static bool
keep_rights_walker(Node *node, Query *query)
{
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, keep_rights_walker, query);
	foreach(lc, ((Query *) node)->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		RangeTblEntry *copy;

		if (!OidIsValid(rte->relid) || !DP_HAS_PERMISSIONS(rte))
			continue;
		copy = dp_compat_copy_entry(query, (Query *) node, rte);
		copy->subquery = NULL;
		copy->securityQuals = NIL;
		copy->tablesample = NULL;
	}
	return query_tree_walker((Query *) node, keep_rights_walker, query, 0);
}

void
dp_tree_keep_rights(Query *query, Query *other)
{
	(void) keep_rights_walker((Node *) other, query);
}

Node *
dp_tree_make_if(Node *condition, Node *value)
{
	CaseExpr   *cases = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = (Expr *) condition;
	when->result = (Expr *) value;
	when->location = -1;
	cases->casetype = exprType(value);
	cases->casecollid = exprCollation(value);
	cases->args = list_make1(when);
	cases->defresult = (Expr *) makeNullConst(exprType(value), exprTypmod(value), exprCollation(value));
	cases->location = exprLocation(value);
	return (Node *) cases;
}

/*
 * FROM as it was read.  All that is joined by INNER JOIN stands side by side, so
 * that no setting makes the planner join in the order written.
 */
FromExpr *
dp_tree_make_from(List *inner, List *outer, Node *quals)
{
	FromExpr   *from = makeFromExpr(inner, NULL);
	ListCell   *lc;

	foreach(lc, outer)
	{
		JoinExpr   *join = lfirst_node(JoinExpr, lc);

		join->larg = list_length(from->fromlist) == 1 ? linitial(from->fromlist) : (Node *) from;
		from = makeFromExpr(list_make1(join), NULL);
	}
	from->quals = quals;
	return from;
}

static bool
merged_walker(Node *node, void *context)
{
	RangeTblEntry *rte = (RangeTblEntry *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, merged_walker, context, QTW_EXAMINE_RTES_BEFORE);
	if (!IsA(node, RangeTblEntry))
		return expression_tree_walker(node, merged_walker, context);
	if (rte->rtekind == RTE_SUBQUERY && rte->subquery == NULL)
		rte->subquery = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	return false;
}

void
dp_tree_make_walkable(Query *query)
{
	(void) merged_walker((Node *) query, NULL);
}
