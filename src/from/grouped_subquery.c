/* SPDX-License-Identifier: PostgreSQL */
/*
 * grouped_subquery.c
 *	  Subqueries in FROM that group rows by the privacy unit.
 *
 *		SELECT unit, sum(cost) / count(*) AS mean FROM visits GROUP BY unit
 *
 * A row of such a subquery is made of rows of one unit alone, so neighbouring
 * databases differ in the rows of one unit after it as before it; grouped by the
 * unit and nothing else, in one row.  Grouping by the key of a record names the unit, too, which
 * becomes a key out of sight (key_closure.h).
 *
 * That holds only if nothing else can change such a row.  The order in which rows are
 * added up depends on the plan, and so on everybody's rows: aggregates must not depend
 * on it.  Sums of floats are computed as numeric; of equal values that look different a
 * canonical one is taken.  An aggregate may not fail, either: its input is kept within
 * what a sum can hold.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

#include "base/compat_planner.h"
#include "expression/allow_list.h"
#include "expression/canonical_key.h"
#include "expression/refusals.h"
#include "expression/validate.h"
#include "from/contribution.h"
#include "from/grouped_subquery.h"
#include "from/key_closure.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

/* Numbers as large as this in a sum of numeric count as NULL. */
#define LARGEST_SUMMAND "1e1000"

/* NULLIF(LEAST(GREATEST(x, -limit), limit), limit), and the same with -limit. */
static Node *
within_limits(Node *summand)
{
	const char *const limits[] = {"-" LARGEST_SUMMAND, LARGEST_SUMMAND};
	Node	   *constants[2];

	for (int i = 0; i < 2; i++)
	{
		MinMaxExpr *minmax = makeNode(MinMaxExpr);
		Datum		limit = DirectFunctionCall3(numeric_in, CStringGetDatum(limits[i]),
												ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

		constants[i] = (Node *) makeConst(NUMERICOID, -1, InvalidOid, -1, limit, false, false);
		minmax->minmaxtype = NUMERICOID;
		minmax->op = i == 0 ? IS_GREATEST : IS_LEAST;
		minmax->args = list_make2(summand, constants[i]);
		minmax->location = -1;
		summand = (Node *) minmax;
	}
	for (int i = 0; i < 2; i++)
	{
		NullIfExpr *nullif = makeNode(NullIfExpr);

		nullif->opno = OpernameGetOprid(list_make2(makeString("pg_catalog"), makeString("=")),
										NUMERICOID, NUMERICOID);
		nullif->opfuncid = F_NUMERIC_EQ;
		nullif->opresulttype = NUMERICOID;
		nullif->args = list_make2(summand, copyObject(constants[i]));
		nullif->location = -1;
		summand = (Node *) nullif;
	}
	return summand;
}

/* The first argument of a node of one of the two kinds that limits are made of; NULL of any other. */
static Node *
within(Node *node, NodeTag tag)
{
	if (node == NULL || nodeTag(node) != tag)
		return NULL;
	return linitial(tag == T_NullIfExpr ? ((NullIfExpr *) node)->args : ((MinMaxExpr *) node)->args);
}

Node *
dp_from_without_limits(Node *arg)
{
	Node	   *summand = within(within(within(within(arg, T_NullIfExpr), T_NullIfExpr), T_MinMaxExpr), T_MinMaxExpr);

	return summand && equal(within_limits(copyObject(summand)), arg) ? summand : arg;
}

/* Columns that an aggregate depends on, if it may stand here. */
typedef enum Kind
{
	REFUSED,
	ANY_VALUE,					/* whether values are null, or booleans */
	SUM,						/* integers or numeric */
	SUM_OF_NUMERIC,
	EXTREME						/* the least or greatest value */
} Kind;

/* The function that chooses between two values for min or max; InvalidOid of others. */
static Oid
choice_of(Oid function)
{
	const char *name = get_func_name(function);
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(function));
	Oid			choice = InvalidOid;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
		choice = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtransfn;
	ReleaseSysCache(tuple);
	return choice;
}

/* Is it min or max over a type whose values are chosen from by an allowed function? */
static bool
is_extreme(Oid function)
{
	Oid			choice = choice_of(function);

	return OidIsValid(choice) && dp_expression_verdict(choice).totality != DP_REFUSED;
}

static Kind
kind_of(Oid function)
{
	switch (function)
	{
		case F_COUNT_:
		case F_COUNT_ANY:
		case F_BOOL_AND:
		case F_BOOL_OR:
		case F_EVERY:
			return ANY_VALUE;
		case F_SUM_INT2:
		case F_SUM_INT4:
		case F_SUM_INT8:
		case F_AVG_INT2:
		case F_AVG_INT4:
		case F_AVG_INT8:
			return SUM;
		case F_SUM_NUMERIC:
		case F_AVG_NUMERIC:
			return SUM_OF_NUMERIC;
		default:
			return function < FirstUnpinnedObjectId && is_extreme(function) ? EXTREME : REFUSED;
	}
}

/* Reason why an aggregate as such is refused. */
static DpReason *
check_aggregate(Aggref *aggref, Kind kind)
{
	if (kind == REFUSED)
		return dp_tree_reason(aggref->location,
							  "count, sum and avg of numbers, min, max, bool_and and bool_or are allowed.",
							  "aggregate function %s is not allowed " DP_IN_SUBSELECT,
							  get_func_name(aggref->aggfnoid));
	if (aggref->aggorder)
		return dp_tree_reason(aggref->location, "Leave ORDER BY out.",
							  "ORDER BY in an aggregate is not allowed " DP_IN_SUBSELECT);
	if (aggref->aggdistinct && aggref->aggfnoid != F_COUNT_ANY)
		return dp_tree_reason(aggref->location, "Only count takes DISTINCT here.",
							  "DISTINCT in this aggregate is not allowed " DP_IN_SUBSELECT);
	return dp_expression_check_permission((Node *) aggref, aggref->aggfnoid);
}

/* Validate the argument of an aggregate, and make it fit to be aggregated. */
static Node *
validate_argument(Query *query, Aggref *aggref, Kind kind, const DpStatement *statement, DpReason **reason)
{
	Node	   *arg = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	int			location = exprLocation(arg);

	arg = dp_expression_validate_expression(query, arg, statement, reason);
	if (*reason)
		return NULL;
	if (kind == EXTREME || aggref->aggdistinct)
	{
		arg = dp_expression_canonical_key(arg, reason);
		if (*reason || !dp_expression_type_is_groupable(exprType(arg)))
		{
			*reason = dp_tree_reason(location, "Cast it to text, or to a type whose equal values look the same.",
									 "min, max and DISTINCT of this type are not allowed " DP_IN_SUBSELECT);
			return NULL;
		}
	}
	return kind == SUM_OF_NUMERIC ? within_limits(arg) : arg;
}

DpReason *
dp_from_validate_aggregate(Query *query, Aggref *aggref, const DpStatement *statement)
{
	Kind		kind = kind_of(aggref->aggfnoid);
	DpReason   *reason = check_aggregate(aggref, kind);

	if (reason)
		return reason;
	if (aggref->aggfilter)
		aggref->aggfilter = (Expr *) dp_expression_validate_expression(query, (Node *) aggref->aggfilter,
																	   statement, &reason);
	if (reason == NULL && aggref->args != NIL)
		linitial_node(TargetEntry, aggref->args)->expr =
			(Expr *) validate_argument(query, aggref, kind, statement, &reason);
	return reason;
}

/* Validate a key of a grouping query. */
static DpReason *
validate_key(Query *query, TargetEntry *target, const DpStatement *statement)
{
	int			location = exprLocation((Node *) target->expr);
	DpReason   *reason = NULL;
	SortGroupClause *clause = get_sortgroupref_clause(target->ressortgroupref, query->groupClause);
	Node	   *key = dp_expression_validate_expression(query, (Node *) target->expr, statement, &reason);

	if (reason == NULL)
		key = dp_expression_canonical_key(key, &reason);
	if (reason)
		return reason;
	if (!dp_expression_type_is_groupable(exprType(key)) || clause->eqop >= FirstUnpinnedObjectId ||
		clause->sortop >= FirstUnpinnedObjectId)
		return dp_tree_reason(location, dp_expression_hint_for_key(exprType(key)),
							  "grouping by this type is not allowed in a differentially private query");
	target->expr = (Expr *) key;
	return NULL;
}

/* Validate every column; returns the one that is the unit in *unit. */
static DpReason *
validate_columns(Query *query, const DpStatement *statement, const DpContribution *contribution,
				 TargetEntry **unit)
{
	DpReason   *reason = NULL;
	ListCell   *lc;

	*unit = NULL;
	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (target->ressortgroupref == 0)
			reason = IsA(target->expr, Aggref)
				? dp_from_validate_aggregate(query, (Aggref *) target->expr, statement)
				: dp_expression_check_construct((Node *) target->expr);
		else
		{
			if (*unit == NULL && dp_from_is_unit((Node *) target->expr, contribution))
				*unit = target;
			reason = validate_key(query, target, statement);
		}
		if (reason)
			return reason;
	}
	return NULL;
}

/* Do the keys name a record, and not the unit itself? */
static bool
names_record(Query *query, const DpContribution *contribution)
{
	List	   *keys = get_sortgrouplist_exprs(query->groupClause, query->targetList);
	ListCell   *lc;

	foreach(lc, keys)
		if (dp_from_is_unit(lfirst(lc), contribution))
			return false;
	return contribution->units != NIL && dp_from_names_record(query, NIL, keys);
}

/* Group by the unit as well, which changes nothing where records' keys hold. */
static void
add_unit(Query *query, const DpContribution *contribution)
{
	(void) dp_tree_add_group(query, (Node *) copyObject(linitial_node(Var, contribution->units)), "unit", false);
}

DpReason *
dp_from_check_grouped(Query *query, Index varno, const DpStatement *statement, int location,
					  DpContribution *contribution)
{
	TargetEntry *unit;
	DpReason   *reason;

	if (names_record(query, contribution))
		add_unit(query, contribution);
	reason = validate_columns(query, statement, contribution, &unit);
	if (reason)
		return reason;
	if (unit == NULL)
		return dp_tree_reason(location, DP_UNIT_HINT,
							  "grouping by anything but the privacy unit is not allowed " DP_IN_SUBSELECT);
	contribution->units = list_make1(makeVarFromTargetEntry(varno, unit));
	contribution->row_is_unit = contribution->row_is_unit || list_length(query->groupClause) == 1;
	contribution->grouped = lappend(contribution->grouped, query);
	return NULL;
}
