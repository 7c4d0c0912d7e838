/* SPDX-License-Identifier: PostgreSQL */
/*
 * stand_in.c
 *	  What stands for a subquery of an expression: a subquery in FROM, joined to the query.
 *
 *		SELECT ... FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id)
 *
 * is
 *
 *		SELECT ... FROM people p LEFT JOIN (SELECT person AS k1 FROM visits GROUP BY person) s ON s.k1 = p.id
 *		 WHERE s.k1 IS NOT NULL
 *
 * Grouped by all that ties it, it has at most one row for each of the query's.  So no row of
 * the query is lost, and none is there twice.  What is a subquery's value by aggregates is one of
 * their columns.  A value without aggregates is the least there is: SQL fails where there are several.
 *
 * Aggregates of other people's rows, tied by equality, are those of groups: they are released by a block of their
 * own, and joined then.
 *
 * Nothing is decided here of what protected rows may be joined with: what comes out is validated
 * as if it had been written so.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_func.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "asking/correlated.h"
#include "asking/select_right.h"
#include "asking/select_right.h"
#include "asking/stand_in.h"
#include "base/compat_planner.h"
#include "from/key_closure.h"
#include "from/lateral.h"
#include "tree/make_nodes.h"

/* May a subquery be grouped by what ties it, and stand elsewhere? */
static bool
is_simple(const Query *query)
{
	return query->commandType == CMD_SELECT && query->setOperations == NULL && query->cteList == NIL &&
		!query->hasWindowFuncs && !query->hasTargetSRFs && !query->hasModifyingCTE && query->rowMarks == NIL &&
		query->groupingSets == NIL && query->jointree->fromlist != NIL && query->limitOffset == NULL;
}

/* Does a query take the first row alone, or more? */
static bool
has_plain_limit(const Query *query)
{
	const Const *limit = (const Const *) query->limitCount;

	return limit == NULL || (IsA(limit, Const) && !limit->constisnull &&
							 DatumGetInt64(limit->constvalue) > 0);
}

/* Keep what a query reads, and leave out what it shows of that. */
static void
forget_output(Query *query)
{
	query->targetList = NIL;
	query->distinctClause = NIL;
	query->hasDistinctOn = false;
	query->sortClause = NIL;
	query->limitCount = NULL;
	query->limitOption = LIMIT_OPTION_COUNT;
	query->havingQual = NULL;
	query->hasAggs = false;
	query->canSetTag = false;
}

/* A built-in aggregate of this name over an expression, or NULL. */
static Node *
aggregate(const char *name, Node *arg)
{
	Oid			type = exprType(arg);
	List	   *names = list_make2(makeString("pg_catalog"), makeString(pstrdup(name)));
	Oid			function = LookupFuncName(names, 1, &type, true);
	Aggref	   *aggref;

	if (!OidIsValid(function) && type == VARCHAROID)
	{
		arg = (Node *) makeRelabelType((Expr *) arg, TEXTOID, -1, exprCollation(arg), COERCE_IMPLICIT_CAST);
		type = TEXTOID;
		function = LookupFuncName(names, 1, &type, true);
	}
	if (!OidIsValid(function))
		return NULL;
	aggref = dp_tree_make_count(arg);
	aggref->aggfnoid = function;
	aggref->aggtype = get_func_rettype(function);
	aggref->aggcollid = type_is_collatable(aggref->aggtype) ? exprCollation(arg) : InvalidOid;
	return (Node *) aggref;
}

/* Append an aggregate column to a subquery; its number, or 0. */
static int
add_aggregate(Query *query, const char *name, Node *arg)
{
	Node	   *aggref = aggregate(name, arg);

	if (aggref == NULL)
		return 0;
	dp_tree_add_column(query, aggref, psprintf("a%d", list_length(query->targetList) + 1));
	query->hasAggs = true;
	return list_length(query->targetList);
}

/* How a comparison asks for some row: by the least or the greatest there is, or by both. */
typedef struct Extremes
{
	int			least;			/* number of a column, or 0 */
	int			greatest;
} Extremes;

/* Is there a btree family in which this is one of these comparisons, of which `own` is the left side or not? */
static bool
compares(const DpTie *tie, StrategyNumber strict, StrategyNumber equal)
{
	Oid			operator = tie->own_first ? tie->operator->opno : get_commutator(tie->operator->opno);
	TypeCacheEntry *type = lookup_type_cache(exprType(tie->own), TYPECACHE_BTREE_OPFAMILY);
	int			strategy = OidIsValid(operator) ? get_op_opfamily_strategy(operator, type->btree_opf) : 0;

	return strategy == strict || strategy == equal;
}

/* Add what decides a comparison with any of a group's rows; false if that is not known. */
static bool
add_extremes(Query *query, const DpTie *bound, Extremes *extremes)
{
	Oid			negator = get_negator(bound->operator->opno);
	bool		less = compares(bound, BTLessStrategyNumber, BTLessEqualStrategyNumber);
	bool		greater = compares(bound, BTGreaterStrategyNumber, BTGreaterEqualStrategyNumber);
	bool		differs = OidIsValid(negator) && get_mergejoin_opfamilies(negator) != NIL;

	memset(extremes, 0, sizeof(Extremes));
	if (less || differs)
		extremes->least = add_aggregate(query, "min", copyObject(bound->own));
	if (greater || differs)
		extremes->greatest = add_aggregate(query, "max", copyObject(bound->own));
	return (extremes->least > 0) == (less || differs) &&
		(extremes->greatest > 0) == (greater || differs) && (less || greater || differs);
}

/* The comparison with any of a group's rows. */
static Node *
by_extremes(const DpJoined *joined, const DpTie *bound, const Extremes *extremes)
{
	const int	columns[] = {extremes->least, extremes->greatest};
	List	   *comparisons = NIL;

	for (int i = 0; i < lengthof(columns); i++)
	{
		Node	   *own;

		if (columns[i] == 0)
			continue;
		own = (Node *) dp_asking_joined_column(joined, columns[i], false);
		if (exprType(own) != exprType(bound->own))
			own = (Node *) makeRelabelType((Expr *) own, exprType(bound->own), -1, exprCollation(own), COERCE_IMPLICIT_CAST);
		comparisons = lappend(comparisons, dp_asking_tie_with(bound, own));
	}
	return list_length(comparisons) == 1 ? linitial(comparisons) : (Node *) makeBoolExpr(OR_EXPR, comparisons, -1);
}

/* Leave out rows that equal nothing: those that are left may name a record. */
static void
leave_out_nulls(Query *query)
{
	ListCell   *lc;

	foreach(lc, get_sortgrouplist_exprs(query->groupClause, query->targetList))
		query->jointree->quals = make_and_qual(query->jointree->quals, dp_tree_make_not_null(copyObject(lfirst(lc))));
}

/* May a subquery stand in FROM, of which rows that equal nothing may be left out? */
static bool
may_stand(const DpStand *stand, Query *query)
{
	if (stand->may_stand(query, stand->levels, stand->context))
		return true;
	leave_out_nulls(query);
	return stand->may_stand(query, stand->levels, stand->context);
}

/* Join what was taken apart and grouped, with all that ties it, in any case. */
static DpJoined *
join_anyway(const DpStand *stand, const DpCorrelated *correlated, List *ties, const Extremes *extremes)
{
	DpJoined   *joined;

	joined = dp_asking_enter_joined(stand->query, correlated->query);
	joined->condition = dp_asking_by_ties(joined, ties);
	if (correlated->bound)
		joined->condition = make_and_qual(joined->condition, by_extremes(joined, correlated->bound, extremes));
	if (correlated->outside)
		joined->condition = make_and_qual(joined->condition, copyObject(correlated->outside));
	dp_asking_join_entered(stand->query, joined);
	return joined;
}

/* The same, if it may stand there. */
static DpJoined *
join_correlated(const DpStand *stand, const DpCorrelated *correlated, List *ties, const Extremes *extremes)
{
	return may_stand(stand, correlated->query) ? join_anyway(stand, correlated, ties, extremes) : NULL;
}

/*
 * Are a subquery's rows other people's, so that its groups are released by a block of its own, and joined then?
 * Its values are aggregates, and it is grouped by all that ties it.
 */
static bool
is_released(const DpStand *stand, Query *query)
{
	DpRawRows	rows;

	dp_asking_find_raw_rows(query, lcons(query, list_copy(stand->levels)), &rows);
	return rows.denied && rows.readable == NULL;
}

/* Join which rows there are of a subquery, by these ties; NULL if that cannot be. */
static DpJoined *
join_existing(const DpStand *stand, DpCorrelated *correlated, List *ties)
{
	Extremes	extremes = {0};

	if (ties == NIL)
		return NULL;
	forget_output(correlated->query);
	if (!dp_asking_group_by_ties(correlated->query, ties) ||
		(correlated->bound && !add_extremes(correlated->query, correlated->bound, &extremes)))
		return NULL;
	return join_correlated(stand, correlated, ties, &extremes);
}

static int
depth_of(const DpStand *stand)
{
	return list_length(stand->levels);
}

/* Making an expression over aggregates one over columns. */
typedef struct Columns
{
	Query	   *query;			/* that has them */
	Index		varno;
	Index		join;
} Columns;

static Node *
column_mutator(Node *node, Columns *columns)
{
	Var		   *column;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Aggref))
		return expression_tree_mutator(node, column_mutator, columns);
	dp_tree_add_column(columns->query, copyObject(node), psprintf("a%d", list_length(columns->query->targetList) + 1));
	column = makeVarFromTargetEntry(columns->varno, llast_node(TargetEntry, columns->query->targetList));
	column->varlevelsup = 1;
	dp_compat_set_nulled_by(column, columns->join);
	if (((Aggref *) node)->aggfnoid == F_COUNT_ || ((Aggref *) node)->aggfnoid == F_COUNT_ANY)
	{
		CoalesceExpr *count = makeNode(CoalesceExpr);

		count->coalescetype = INT8OID;
		count->args = list_make2(column, dp_tree_make_int8(0));
		count->location = -1;
		return (Node *) count;
	}
	return (Node *) column;
}

/* The value over aggregates that a subquery has, as one over columns of what is joined. */
static Node *
value_of_aggregates(const DpStand *stand, DpCorrelated *correlated, Node *value)
{
	Query	   *query = correlated->query;
	Columns		columns = {.query = query, .varno = list_length(stand->query->rtable) + 1};

	columns.join = columns.varno + 1;
	if (correlated->keys == NIL || correlated->bound || correlated->outside || checkExprHasSubLink(value))
		return NULL;
	forget_output(query);
	if (!dp_asking_group_by_ties(query, correlated->keys))
		return NULL;
	query->hasAggs = true;
	value = column_mutator(value, &columns);
	if (dp_from_names_outside(query, depth_of(stand)) || !(may_stand(stand, query) || is_released(stand, query)))
		return NULL;
	(void) join_anyway(stand, correlated, correlated->keys, NULL);
	IncrementVarSublevelsUp(value, -1, 1);
	return value;
}

/* The value that a subquery without aggregates has: the least. */
static Node *
value_of_rows(const DpStand *stand, DpCorrelated *correlated, Node *value)
{
	DpJoined   *joined;
	Node	   *column;

	if (correlated->keys == NIL || correlated->bound || correlated->query->limitCount || correlated->query->hasDistinctOn)
		return NULL;
	forget_output(correlated->query);
	if (!dp_asking_group_by_ties(correlated->query, correlated->keys) ||
		add_aggregate(correlated->query, "min", copyObject(value)) == 0)
		return NULL;
	joined = join_correlated(stand, correlated, correlated->keys, NULL);
	if (joined == NULL)
		return NULL;
	column = (Node *) dp_asking_joined_column(joined, list_length(correlated->query->targetList), true);
	if (exprType(column) != exprType(value))
		column = (Node *) makeRelabelType((Expr *) column, exprType(value), exprTypmod(value), exprCollation(value), COERCE_IMPLICIT_CAST);
	return column;
}

/* (SELECT value FROM ...) */
static Node *
stand_for_value(const DpStand *stand, Query *subselect)
{
	Node	   *value = (Node *) linitial_node(TargetEntry, subselect->targetList)->expr;
	DpCorrelated correlated;

	if (subselect->groupClause || !dp_asking_take_ties(subselect, depth_of(stand), &correlated))
		return NULL;
	if (!subselect->hasAggs)
		return value_of_rows(stand, &correlated, value);
	return subselect->havingQual ? NULL : value_of_aggregates(stand, &correlated, value);
}

/* EXISTS (SELECT ... FROM ...) */
static Node *
stand_for_existence(const DpStand *stand, Query *subselect)
{
	DpCorrelated correlated;
	DpJoined   *joined;

	if (subselect->groupClause || !has_plain_limit(subselect))
		return NULL;
	if (subselect->hasAggs || subselect->havingQual)
	{
		BooleanTest *test = makeNode(BooleanTest);

		if (subselect->havingQual == NULL || subselect->limitCount ||
			!dp_asking_take_ties(subselect, depth_of(stand), &correlated))
			return NULL;
		test->arg = (Expr *) value_of_aggregates(stand, &correlated, subselect->havingQual);
		test->booltesttype = IS_TRUE;
		test->location = -1;
		return test->arg ? (Node *) test : NULL;
	}
	if (!dp_asking_take_ties(subselect, depth_of(stand), &correlated))
		return NULL;
	joined = join_existing(stand, &correlated, correlated.keys);
	return joined ? dp_asking_was_joined(joined) : NULL;
}

/*
 * x IN (SELECT y ...) where a group of rows has no y that x is: NULL if x is, and there
 * are rows, or if one of these is; else false.
 */
static Node *
unknown_or_false(const DpStand *stand, DpCorrelated *correlated, const DpTie *tie)
{
	Node	   *null = (Node *) makeNullConst(BOOLOID, -1, InvalidOid);
	NullTest   *absent = makeNode(NullTest);
	CaseExpr   *cases;
	Node	   *some_null;
	Node	   *unknown;
	DpJoined   *rows;
	int			number;

	forget_output(correlated->query);
	if (!dp_asking_group_by_ties(correlated->query, correlated->keys))
		return NULL;
	absent->arg = (Expr *) copyObject(tie->own);
	absent->nulltesttype = IS_NULL;
	absent->location = -1;
	number = add_aggregate(correlated->query, "bool_or", (Node *) absent);
	rows = join_correlated(stand, correlated, correlated->keys, NULL);
	if (rows == NULL)
		return NULL;
	some_null = (Node *) dp_asking_joined_column(rows, number, true);
	absent = copyObject(absent);
	absent->arg = (Expr *) copyObject(tie->outer);
	unknown = (Node *) makeBoolExpr(AND_EXPR, list_make2(dp_asking_was_joined(rows),
														 makeBoolExpr(OR_EXPR, list_make2(absent, some_null), -1)), -1);
	cases = (CaseExpr *) dp_tree_make_if(unknown, null);
	cases->defresult = (Expr *) makeBoolConst(false, false);
	return (Node *) cases;
}

/*
 * Is IN by itself never NULL?  It looks up the unit, and rows without one are ignored; or other columns that are not
 * NULL on either side.
 */
static bool
is_never_null(const DpStand *stand, Query *query, List *ties)
{
	List	   *levels = lcons(query, list_copy(stand->levels));
	ListCell   *lc;

	foreach(lc, ties)
	{
		const DpTie *tie = lfirst(lc);

		if (!dp_asking_is_unit(query, levels, tie->own) &&
			!(dp_from_is_never_null(query, levels, tie->own) &&
			  dp_from_is_never_null(stand->query, stand->levels, tie->outer)))
			return false;
	}
	return true;
}

/* IN a subquery that groups by what it selects: it is joined as it stands. */
static Node *
stand_for_groups(const DpStand *stand, SubLink *sublink, bool exact)
{
	Query	   *query = (Query *) copyObject(sublink->subselect);
	List	   *columns = NIL;
	DpJoined   *joined;
	ListCell   *lc;

	if (query->limitCount || dp_from_names_outside(query, depth_of(stand)) ||
		(exact && !is_never_null(stand, query, dp_asking_ties_of_in(sublink, dp_asking_shown_values(query)))) ||
		!may_stand(stand, query))
		return NULL;
	foreach(lc, query->groupClause)
		if (get_sortgroupclause_tle(lfirst(lc), query->targetList)->resjunk)
			return NULL;
	query->sortClause = NIL;
	joined = dp_asking_enter_joined(stand->query, query);
	for (int i = 1; i <= list_length(dp_asking_shown_values(query)); i++)
		columns = lappend(columns, dp_asking_joined_column(joined, i, false));
	foreach(lc, dp_asking_ties_of_in(sublink, columns))
	{
		const DpTie *tie = lfirst(lc);

		joined->condition = make_and_qual(joined->condition, dp_asking_tie_with(tie, tie->own));
	}
	dp_asking_join_entered(stand->query, joined);
	return dp_asking_was_joined(joined);
}

/* x IN (SELECT y FROM ...) */
static Node *
stand_for_member(const DpStand *stand, SubLink *sublink, bool exact)
{
	Query	   *subselect = (Query *) sublink->subselect;
	List	   *ties = dp_asking_ties_of_in(sublink, dp_asking_shown_values(subselect));
	DpCorrelated correlated;
	DpCorrelated rows;
	DpJoined   *joined;
	CaseExpr   *cases;
	ListCell   *lc;

	foreach(lc, ties)
		if (contain_vars_of_level(((DpTie *) lfirst(lc))->own, 1))
			return NULL;
	if (ties == NIL)
		return NULL;
	if (subselect->groupClause)
		return stand_for_groups(stand, sublink, exact);
	if (subselect->hasAggs || subselect->hasDistinctOn || subselect->limitCount ||
		!dp_asking_take_ties(subselect, depth_of(stand), &correlated))
		return NULL;

	if (exact && correlated.keys == NIL && !is_never_null(stand, correlated.query, ties))
		return NULL;
	exact = exact && correlated.keys != NIL;
	if (exact && (correlated.bound || correlated.outside || list_length(ties) > 1))
		return NULL;
	rows = correlated;
	rows.query = copyObject(correlated.query);
	joined = join_existing(stand, &correlated, list_concat_copy(ties, correlated.keys));
	if (joined == NULL)
		return NULL;
	if (!exact)
		return dp_asking_was_joined(joined);
	cases = (CaseExpr *) dp_tree_make_if(dp_asking_was_joined(joined), (Node *) makeBoolConst(true, false));
	cases->defresult = (Expr *) unknown_or_false(stand, &rows, linitial(ties));
	return cases->defresult ? (Node *) cases : NULL;
}

static Node *
stand_in(const DpStand *stand, SubLink *sublink, bool exact)
{
	Query	   *subselect = castNode(Query, sublink->subselect);

	if (!is_simple(subselect))
		return NULL;
	switch (sublink->subLinkType)
	{
		case EXISTS_SUBLINK:
			return stand_for_existence(stand, subselect);
		case ANY_SUBLINK:
			return stand_for_member(stand, sublink, exact);
		case EXPR_SUBLINK:
			return stand_for_value(stand, subselect);
		default:
			return NULL;
	}
}

/* A query with a FROM of its own, to which items may be joined. */
static Query *
with_own_from(const Query *query)
{
	Query	   *copy = makeNode(Query);

	*copy = *query;
	copy->rtable = list_copy(query->rtable);
	copy->jointree = makeFromExpr(list_copy(query->jointree->fromlist), query->jointree->quals);
	return copy;
}

Node *
dp_asking_stand_in(const DpStand *stand, SubLink *sublink, bool exact)
{
	DpStand		trial = *stand;
	Node	   *value;

	trial.query = with_own_from(stand->query);
	value = stand_in(&trial, sublink, exact);
	if (value)
	{
		stand->query->rtable = trial.query->rtable;
		stand->query->jointree->fromlist = trial.query->jointree->fromlist;
	}
	return value;
}
