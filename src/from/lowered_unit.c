/* SPDX-License-Identifier: PostgreSQL */
/*
 * lowered_unit.c
 *	  Tables whose privacy unit is a column of citext, of which all spellings are one unit.
 *
 *		SELECT n, count(DISTINCT lower(email::text)) FROM guest GROUP BY n
 *
 * becomes
 *
 *		SELECT n, count(DISTINCT unit) FROM (SELECT email, n, lower(email::text) AS unit FROM guest OFFSET 0) GROUP BY n
 *
 * From there on the unit is a column like any other, and no other place that reads such a table is allowed.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "expression/read_as.h"
#include "expression/validate.h"
#include "from/full_join.h"
#include "from/lowered_unit.h"
#include "from/united_subquery.h"
#include "policy/policy.h"
#include "tree/change_exprs.h"
#include "tree/make_nodes.h"

/* A table that becomes a subquery, and how deep below the query around an expression stands. */
typedef struct Lowering
{
	Index		varno;
	AttrNumber	unit;			/* the column of citext, */
	AttrNumber	lowered;		/* and that which the subquery shows behind the others */
	Index		depth;
} Lowering;

/* The column that a table's unit is, if it is told in lower case; else 0. */
static AttrNumber
lowered_column(const RangeTblEntry *rte)
{
	DpPolicy	policy;

	if (rte->rtekind != RTE_RELATION || !dp_policy_is_protected(rte->relid) || !dp_policy_policy_get(rte->relid, &policy) ||
		policy.linked || policy.unit <= 0 || !dp_policy_lowers_unit(get_atttype(rte->relid, policy.unit)))
		return InvalidAttrNumber;
	return policy.unit;
}

/* A column of a table; that of a dropped one is NULL. */
static Node *
make_column(const FormData_pg_attribute *column)
{
	if (column->attisdropped)
		return (Node *) makeNullConst(INT4OID, -1, InvalidOid);
	return (Node *) makeVar(1, column->attnum, column->atttypid, column->atttypmod, column->attcollation, 0);
}

/* The unit in lower case, as citext has it: by the database's collation. */
static Node *
lower_case(const FormData_pg_attribute *column)
{
	RelabelType *text = makeRelabelType((Expr *) make_column(column), TEXTOID, -1, column->attcollation, COERCE_IMPLICIT_CAST);

	return (Node *) makeFuncExpr(F_LOWER_TEXT, TEXTOID, list_make1(text), DEFAULT_COLLATION_OID, DEFAULT_COLLATION_OID,
								 COERCE_EXPLICIT_CALL);
}

/* The subquery that a table of a query becomes. */
static Query *
make_lowered(const Query *around, const RangeTblEntry *rte, AttrNumber unit)
{
	RangeTblRef *item = makeNode(RangeTblRef);
	Query	   *query = dp_tree_make_select(NIL, makeFromExpr(list_make1(item), NULL));
	Relation	relation = table_open(rte->relid, NoLock);
	TupleDesc	columns = RelationGetDescr(relation);

	item->rtindex = 1;
	(void) dp_compat_copy_entry(query, around, rte);
	for (int i = 0; i < columns->natts; i++)
		dp_tree_add_column(query, make_column(TupleDescAttr(columns, i)), NameStr(TupleDescAttr(columns, i)->attname));
	dp_tree_add_column(query, lower_case(TupleDescAttr(columns, unit - 1)), "unit");
	table_close(relation, NoLock);

	/* Nothing merges it. */
	query->limitOffset = (Node *) dp_tree_make_int8(0);
	query->hasRowSecurity = around->hasRowSecurity;
	return query;
}

/* Is it a column of the table? */
static bool
is_column(const Node *node, const Lowering *lowering)
{
	const Var  *var = (const Var *) node;

	return IsA(var, Var) && var->varno == lowering->varno && var->varlevelsup == lowering->depth && var->varattno > 0;
}

/* Is it lower() of the unit's column, as citext has it? */
static const Var *
lowered_unit(const Node *node, const Lowering *lowering)
{
	const FuncExpr *call = (const FuncExpr *) node;
	const Node *arg;

	if (!IsA(call, FuncExpr) || call->funcid != F_LOWER_TEXT || call->inputcollid != DEFAULT_COLLATION_OID)
		return NULL;
	arg = linitial(call->args);
	while (IsA(arg, RelabelType))
		arg = (const Node *) ((const RelabelType *) arg)->arg;
	return is_column(arg, lowering) && ((const Var *) arg)->varattno == lowering->unit ? (const Var *) arg : NULL;
}

/* The same expression with the subquery's column in place of lower(). */
static Node *
name_mutator(Node *node, Lowering *lowering)
{
	const Var  *unit;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		Query	   *query;

		lowering->depth++;
		query = query_tree_mutator((Query *) node, name_mutator, lowering, 0);
		lowering->depth--;
		return (Node *) query;
	}
	unit = lowered_unit(node, lowering);
	if (unit)
	{
		Var		   *var = copyObject(unconstify(Var *, unit));

		var->varattno = lowering->lowered;
		var->vartype = TEXTOID;
		var->vartypmod = -1;
		var->varcollid = DEFAULT_COLLATION_OID;
		return (Node *) var;
	}
	return expression_tree_mutator(node, name_mutator, lowering);
}

void
dp_from_lower_units(Query *query)
{
	int			tables = list_length(query->rtable);

	if (dp_from_lowers_unit(query) || dp_from_is_full_join(query))
		return;
	for (int varno = 1; varno <= tables; varno++)
	{
		RangeTblEntry *rte = rt_fetch(varno, query->rtable);
		Lowering	lowering = {.varno = varno, .unit = lowered_column(rte)};
		Query	   *lowered;

		if (lowering.unit == InvalidAttrNumber)
			continue;
		lowered = make_lowered(query, rte, lowering.unit);
		lowering.lowered = list_length(lowered->targetList);
		dp_tree_change_exprs(query, (DpChangeExpr) name_mutator, &lowering);
		dp_tree_change_aliases(query, (DpChangeExpr) name_mutator, &lowering);
		lfirst(list_nth_cell(query->rtable, varno - 1)) = dp_tree_make_open_item(lowered, rte->eref->aliasname);
	}
}

/* Does a query show the columns of a table as they are, or NULL in their place, and behind them the unit in lower case? */
static bool
shows_columns(const Query *query, TupleDesc columns, AttrNumber unit)
{
	ListCell   *lc;

	if (list_length(query->targetList) != columns->natts + 1)
		return false;
	foreach(lc, query->targetList)
	{
		int			i = foreach_current_index(lc);
		Node	   *expr = (Node *) lfirst_node(TargetEntry, lc)->expr;

		if (i == columns->natts)
			return equal(expr, lower_case(TupleDescAttr(columns, unit - 1)));
		if (!equal(expr, make_column(TupleDescAttr(columns, i))) && !(IsA(expr, Const) && ((Const *) expr)->constisnull))
			return false;
	}
	return false;
}

bool
dp_from_lowers_unit(const Query *query)
{
	FromExpr   *from = query->jointree;
	RangeTblEntry *rte = list_length(query->rtable) == 1 ? linitial_node(RangeTblEntry, query->rtable) : NULL;
	AttrNumber	unit;
	bool		result;
	Relation	relation;

	if (rte == NULL || list_length(from->fromlist) != 1 || !IsA(linitial(from->fromlist), RangeTblRef) || from->quals ||
		query->limitCount || !equal(query->limitOffset, dp_tree_make_int8(0)) || query->groupClause || query->groupingSets ||
		query->havingQual || query->hasAggs || query->hasWindowFuncs || query->hasTargetSRFs || query->setOperations ||
		query->distinctClause || query->sortClause || query->rowMarks || query->cteList)
		return false;
	unit = lowered_column(rte);
	if (unit == InvalidAttrNumber)
		return false;
	relation = table_open(rte->relid, NoLock);
	result = shows_columns(query, RelationGetDescr(relation), unit);
	table_close(relation, NoLock);
	return result;
}

/* The reason why a table with such a unit is refused. */
static DpReason *
refuse_table(Oid relid, AttrNumber unit, int location)
{
	return dp_tree_reason_as(ERRCODE_FEATURE_NOT_SUPPORTED, location,
							 psprintf("Have the owner protect it by a column of text GENERATED ALWAYS AS (lower(%s::text)) STORED.",
									  quote_identifier(get_attname(relid, unit, false))),
							 "a table whose privacy unit is of type %s is not allowed here",
							 format_type_be(get_atttype(relid, unit)));
}

DpReason *
dp_from_check_unit_is_lowered(const Query *query, Relation relation, const DpPolicy *policy, int location)
{
	Oid			relid = RelationGetRelid(relation);

	if (policy->linked || !dp_policy_lowers_unit(get_atttype(relid, policy->unit)) || dp_from_lowers_unit(query))
		return NULL;
	return refuse_table(relid, policy->unit, location);
}

DpReason *
dp_from_refuse_lowered(const DpContribution *contribution, int location)
{
	ListCell   *lc;

	foreach(lc, contribution->tables)
	{
		const DpTable *table = lfirst(lc);

		if (table->lowers)
			return refuse_table(table->rte->relid, table->unit, location);
	}
	return NULL;
}

DpReason *
dp_from_check_lowered(Query *query, Index varno, DpStatement *statement, int location, DpContribution *contribution)
{
	TargetEntry *target = llast_node(TargetEntry, query->targetList);
	DpReason   *reason = NULL;

	target->expr = (Expr *) dp_expression_validate_expression(query, (Node *) target->expr, statement, &reason);
	contribution->units = dp_from_columns_of_item(query, varno, bms_make_singleton(target->resno));
	contribution->unit_not_null = false;
	contribution->row_is_unit = false;
	contribution->grouped = lappend(contribution->grouped, query);
	return reason;
}

DpReason *
dp_from_check_spellings(const DpContribution *contribution, int location)
{
	const DpTable *lowered = NULL;
	const DpTable *spelt = NULL;
	ListCell   *lc;

	foreach(lc, contribution->tables)
	{
		const DpTable *table = lfirst(lc);

		if (table->lowers)
			lowered = table;
		else
			spelt = table;
	}
	if (lowered == NULL || spelt == NULL)
		return NULL;
	return dp_tree_reason(location, "Have the owner protect both by columns of the same type.",
						  "the privacy unit of \"%s\" is of citext, and that of \"%s\" is not",
						  lowered->rte->eref->aliasname, spelt->rte->eref->aliasname);
}
