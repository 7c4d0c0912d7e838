/* SPDX-License-Identifier: PostgreSQL */
/*
 * united_subquery.c
 *	  UNION ALL of protected rows in FROM.
 *
 *		SELECT person, day FROM visits UNION ALL SELECT id, born FROM people
 *
 * Each part reads rows of single units, and shows the unit in the same column as the others, or is
 * made to, in one behind those that can be named:
 *
 *		SELECT day, person FROM visits UNION ALL SELECT born, id FROM people
 *
 * for SELECT day FROM visits UNION ALL SELECT born FROM people.  So each row of all is made of rows of the unit that this column names, and neighbouring
 * databases differ in the rows of one unit after it as before it.  A unit has as many rows
 * as in all parts together; that is what its rows are bounded by.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "expression/validate.h"
#include "from/dependent_columns.h"
#include "from/grouped_subquery.h"
#include "from/set_operations.h"
#include "from/united_subquery.h"
#include "policy/policy.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"

/* Most rows and groups of a unit that parts add up to. */
#define MOST_BOUND 1000000

/* The query of a part. */
static Query *
part_of(const ListCell *lc)
{
	return lfirst_node(RangeTblEntry, lc)->subquery;
}

/* Can this column of a part be the unit, as far as is known before its FROM is read? */
static bool
may_be_unit(Query *part, Node *expr)
{
	const Var  *var;
	RangeTblEntry *rte;
	DpPolicy	policy;

	while (IsA(expr, RelabelType))
		expr = (Node *) ((RelabelType *) expr)->arg;
	var = (const Var *) expr;
	if (!IsA(expr, Var) || var->varlevelsup > 0)
		return false;
	rte = rt_fetch(var->varno, part->rtable);
	if (rte->rtekind != RTE_RELATION)
		return true;
	return dp_policy_policy_get(rte->relid, &policy) && !policy.linked && policy.unit == var->varattno;
}

/* Is nothing made of this column, whose number this is? */
static bool
is_unread(Query *query, int number, const Bitmapset *read)
{
	ListCell   *lc;

	if (bms_is_member(number, read))
		return false;
	foreach(lc, query->rtable)
		if (part_of(lc)->setOperations == NULL &&
			may_be_unit(part_of(lc), (Node *) list_nth_node(TargetEntry, part_of(lc)->targetList, number - 1)->expr))
			return false;
	return true;
}

void
dp_from_drop_unread_parts(Query *query, Query *outer, Index varno)
{
	Bitmapset  *read = dp_from_columns_read(outer, varno);
	ListCell   *lc;

	for (int number = 1; number <= list_length(query->targetList); number++)
	{
		if (!is_unread(query, number, read))
			continue;
		foreach(lc, query->rtable)
			if (part_of(lc)->setOperations == NULL)
			{
				TargetEntry *target = list_nth_node(TargetEntry, part_of(lc)->targetList, number - 1);
				Node	   *expr = (Node *) target->expr;

				target->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr));
			}
	}
}

Bitmapset *
dp_from_validate_part(Query *part, DpStatement *statement, const DpContribution *contribution, DpReason **reason)
{
	Bitmapset  *units = NULL;
	ListCell   *lc;

	foreach(lc, part->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (dp_from_is_unit((Node *) target->expr, contribution))
			units = bms_add_member(units, target->resno);
		if (IsA(target->expr, Const) && ((Const *) target->expr)->constisnull)
			continue;
		target->expr = (Expr *) dp_expression_validate_expression(part, (Node *) target->expr, statement, reason);
		if (*reason)
			break;
	}
	return units;
}

/* The numbers of the columns that are the unit of a UNION ALL that is itself a part. */
static Bitmapset *
units_of(const DpContribution *contribution)
{
	Bitmapset  *units = NULL;
	ListCell   *lc;

	foreach(lc, contribution->units)
		units = bms_add_member(units, lfirst_node(Var, lc)->varattno);
	return units;
}

/* Read one part; *units is set to the numbers of the columns that are the unit. */
static DpReason *
read_part(DpReadFrom read_from, Query *part, DpStatement *statement, int location,
		  DpContribution *contribution, Bitmapset **units)
{
	int			own_location = exprLocation((Node *) part->targetList);
	DpReason   *reason;

	if (own_location < 0)
		own_location = location;
	if (!(dp_tree_find(part, dp_policy_is_protected) & DP_FINDS_PROTECTED))
		return dp_tree_reason(own_location, "Ask the public rows in a query of its own, and put the answers together.",
							  "a part of UNION, INTERSECT or EXCEPT without protected rows is not allowed " DP_IN_SUBSELECT);
	if (part->setOperations)
	{
		reason = dp_from_read_united(read_from, part, 1, statement, own_location, contribution);
		*units = units_of(contribution);
		return reason;
	}
	reason = read_from(part, statement, own_location, contribution);
	if (reason == NULL)
		*units = dp_from_validate_part(part, statement, contribution, &reason);
	return reason;
}

List *
dp_from_columns_of_item(const Query *query, Index varno, const Bitmapset *numbers)
{
	List	   *columns = NIL;
	int			number = -1;

	while ((number = bms_next_member(numbers, number)) >= 0)
		columns = lappend(columns, makeVarFromTargetEntry(varno, list_nth_node(TargetEntry, query->targetList, number - 1)));
	return columns;
}

int
dp_from_add_bounds(int a, int b)
{
	return Min((int64) a + b, MOST_BOUND);
}

DpPolicy
dp_from_bounds_of_part(const DpContribution *part)
{
	DpPolicy	bounds = part->policy;

	if (part->row_is_unit)
	{
		bounds.max_rows = bounds.max_groups = 1;
		bounds.max_values = Min(bounds.max_values, 1);
	}
	return bounds;
}

/*
 * Values that a unit may cover in two parts: where neither declares it, as many as
 * rows.
 */
static int
add_values(const DpPolicy *a, const DpPolicy *b)
{
	if (a->max_values == 0 && b->max_values == 0)
		return 0;
	return dp_from_add_bounds(a->max_values > 0 ? a->max_values : a->max_rows,
							  b->max_values > 0 ? b->max_values : b->max_rows);
}

/* Add a part to what those before contribute. */
static DpReason *
add_part(DpContribution *all, const DpContribution *part, bool first, int location)
{
	const DpPolicy bounds = dp_from_bounds_of_part(part);

	if (first)
	{
		*all = *part;
		all->policy = bounds;
		return NULL;
	}
	if (strcmp(NameStr(all->policy.dataset), NameStr(part->policy.dataset)) != 0)
		return dp_tree_reason(location, "Their rows belong to different privacy units: query each data set in a statement of its own.",
							  "tables of two data sets cannot be joined");
	all->policy.max_values = add_values(&all->policy, &bounds);
	all->policy.max_rows = dp_from_add_bounds(all->policy.max_rows, bounds.max_rows);
	all->policy.max_groups = dp_from_add_bounds(all->policy.max_groups, bounds.max_groups);
	all->policy.max_join_rows = Max(all->policy.max_join_rows, bounds.max_join_rows);
	all->tables = list_concat(all->tables, part->tables);
	all->grouped = list_concat(all->grouped, part->grouped);
	all->fan_outs = list_concat(all->fan_outs, part->fan_outs);
	return NULL;
}

/* Add a column of this kind to a UNION ALL's operations. */
static void
add_to_operations(Node *node, const Var *column)
{
	SetOperationStmt *operation = (SetOperationStmt *) node;

	if (!IsA(node, SetOperationStmt))
		return;
	operation->colTypes = lappend_oid(operation->colTypes, column->vartype);
	operation->colTypmods = lappend_int(operation->colTypmods, -1);
	operation->colCollations = lappend_oid(operation->colCollations, column->varcollid);
	add_to_operations(operation->larg, column);
	add_to_operations(operation->rarg, column);
}

/* Is the unit (Var or NULL) of each part of one type, and has it one more column than this to show it in? */
static bool
can_show_units(Query *query, List *units)
{
	const Var  *first = linitial(units);
	ListCell   *lc;
	ListCell   *lc2;

	if (query->stmt_location == DP_QUERY_COMPARED)
		return false;
	forboth(lc, query->rtable, lc2, units)
	{
		const Var  *unit = lfirst(lc2);

		if (unit == NULL || part_of(lc)->setOperations || unit->vartype != first->vartype ||
			unit->varcollid != first->varcollid ||
			list_length(part_of(lc)->targetList) != list_length(query->targetList))
			return false;
	}
	return true;
}

/* Have each part show its unit, in a column of which the query around knows nothing; its number. */
static int
show_units(Query *query, List *units)
{
	Var		   *column;
	ListCell   *lc;
	ListCell   *lc2;

	forboth(lc, query->rtable, lc2, units)
	{
		RangeTblEntry *part = lfirst_node(RangeTblEntry, lc);

		dp_tree_add_column(part->subquery, copyObject(lfirst(lc2)), "unit");
		part->eref->colnames = lappend(part->eref->colnames, makeString(pstrdup("unit")));
	}
	column = makeVarFromTargetEntry(1, llast_node(TargetEntry, linitial_node(RangeTblEntry, query->rtable)->subquery->targetList));
	column->vartypmod = -1;
	dp_tree_add_column(query, (Node *) column, "unit");
	add_to_operations(query->setOperations, column);
	return column->varattno;
}

DpReason *
dp_from_without_common_unit(int location)
{
	return dp_tree_reason(location,
						  "Select it in the same column of each part, of one type; dp_agg.protected_tables shows which column that is.",
						  "UNION, INTERSECT and EXCEPT without the privacy unit in a column are not allowed " DP_IN_SUBSELECT);
}

DpReason *
dp_from_read_united(DpReadFrom read_from, Query *query, Index varno, DpStatement *statement,
					int location, DpContribution *contribution)
{
	Bitmapset  *common = NULL;
	List	   *shown = NIL;
	ListCell   *lc;

	if (exprLocation((Node *) query->targetList) >= 0)
		location = exprLocation((Node *) query->targetList);
	foreach(lc, query->rtable)
	{
		DpContribution part = {0};
		Bitmapset  *units = NULL;
		DpReason   *reason = read_part(read_from, part_of(lc), statement, location, &part, &units);

		if (reason == NULL)
			reason = add_part(contribution, &part, foreach_current_index(lc) == 0, location);
		if (reason)
			return reason;
		contribution->grouped = lappend(contribution->grouped, part_of(lc));
		shown = lappend(shown, part.units ? linitial(part.units) : NULL);
		common = foreach_current_index(lc) == 0 ? units : bms_int_members(common, units);
	}
	Assert(shown != NIL);
	if (bms_is_empty(common) && can_show_units(query, shown))
		common = bms_make_singleton(show_units(query, shown));
	if (bms_is_empty(common))
		return dp_from_without_common_unit(location);
	contribution->units = dp_from_columns_of_item(query, varno, common);
	contribution->unit_not_null = false;
	contribution->row_is_unit = false;
	contribution->few_share = false;
	return NULL;
}
