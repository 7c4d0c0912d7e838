/* SPDX-License-Identifier: PostgreSQL */
/*
 * wanted.c
 *	  Reading a query's aggregates over units, and what rows they need.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"

#include "base/compat_varlena.h"
#include "units/ask.h"
#include "units/wanted.h"

/* Collect aggregates.  The planner has numbered them, the same where they are alike. */
static bool
collect_walker(Node *node, DpUnitsWanted *wanted)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		int			number = ((Aggref *) node)->aggno;

		if (number < 0)
			elog(ERROR, "an aggregate has no number");
		if (bms_is_member(number, wanted->numbers))
			return false;
		wanted->numbers = bms_add_member(wanted->numbers, number);
		wanted->aggregates = lappend(wanted->aggregates, node);
		return false;
	}
	return expression_tree_walker(node, collect_walker, wanted);
}

/* The n-th argument of an aggregate. */
static Node *
argument(const Aggref *aggref, int n)
{
	return (Node *) list_nth_node(TargetEntry, aggref->args, n)->expr;
}

static const DpUnitsAsk *
read_ask(const Aggref *aggref)
{
	Const	   *ask = (Const *) argument(aggref, 2);

	if (!IsA(ask, Const) || ask->constisnull || VARSIZE_ANY(DatumGetPointer(ask->constvalue)) != sizeof(DpUnitsAsk))
		elog(ERROR, "unexpected argument of an aggregate over units");
	return (const DpUnitsAsk *) DatumGetPointer(ask->constvalue);
}

/*
 * The keys, from the ORDER BY that has them all: the planner takes out of GROUP
 * BY what depends on a primary key among them.
 */
static void
add_keys(DpUnitsWanted *wanted)
{
	Query	   *parse = wanted->root->parse;
	ListCell   *lc;

	foreach(lc, parse->sortClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node	   *key = get_sortgroupclause_expr(clause, wanted->root->processed_tlist);

		if (clause->nulls_first)
			elog(ERROR, "unexpected order of groups over units");
		wanted->keys = lappend(wanted->keys, key);
		wanted->operators = lappend_oid(wanted->operators, clause->sortop);
		wanted->collations = lappend_oid(wanted->collations, exprCollation(key));
		wanted->child = lappend(wanted->child, key);
	}
	wanted->plan->nkeys = list_length(wanted->keys);
}

/* Add a column to the child's; its number. */
static int
add_column(DpUnitsWanted *wanted, Node *value)
{
	wanted->child = lappend(wanted->child, value);
	return list_length(wanted->child) - 1;
}

/*
 * Number of the child's column with this value, added if it is new; -1 for a
 * constant, which is the same in every row.
 */
static int
value_column(DpUnitsWanted *wanted, Node *value)
{
	ListCell   *lc;

	if (IsA(value, Const) && !((Const *) value)->constisnull)
		return -1;

	for_each_from(lc, wanted->child, dp_units_first_key(wanted->plan) + wanted->plan->nkeys)
		if (equal(lfirst(lc), value))
			return foreach_current_index(lc);
	return add_column(wanted, value);
}

/* The same, but a constant is a column too. */
static int
place_column(DpUnitsWanted *wanted, Node *value)
{
	int			number = value_column(wanted, value);

	return number >= 0 ? number : add_column(wanted, value);
}

/* A number without its cast to double precision, if that keeps it as it is. */
static Node *
without_exact_cast(Node *value)
{
	const FuncExpr *cast = (const FuncExpr *) value;

	if (IsA(value, FuncExpr) &&
		(cast->funcid == F_FLOAT8_INT2 || cast->funcid == F_FLOAT8_INT4 ||
		 cast->funcid == F_FLOAT8_FLOAT4))
		return linitial(cast->args);
	return value;
}

/*
 * Is this place_pair(y, x, spec), as written by the rewriter, with bounds it does not
 * refuse?  Then a row's places are read from both, and the scan below has nothing to
 * compute.
 */
static bool
is_pair(const Node *value)
{
	const FuncExpr *call = (const FuncExpr *) value;
	const Const *spec;

	if (!IsA(value, FuncExpr) || list_length(call->args) != 3)
		return false;
	spec = lthird(call->args);
	return IsA(spec, Const) && spec->consttype == BYTEAOID && !spec->constisnull &&
		VARSIZE_ANY(DatumGetPointer(spec->constvalue)) == sizeof(DpMomentsSpec) &&
		dp_aggregate_moments_spec_is_sane((const DpMomentsSpec *) DatumGetPointer(spec->constvalue));
}

/* Source of the aggregate's value. */
static void
add_value(DpUnitsWanted *wanted, DpUnitsColumn *column, Node *value)
{
	const FuncExpr *call = (const FuncExpr *) value;

	column->value = column->value_y = -1;
	if (column->kind == DP_UNITS_UNITS || column->kind == DP_UNITS_CLASSES)
		return;
	if (column->kind == DP_UNITS_ROWS)
		column->value = value_column(wanted, value);
	else if (column->kind != DP_UNITS_MOMENTS || column->shape == DP_MOMENTS_VARIANCE ||
			 !is_pair(value))
		column->value = place_column(wanted, value);
	else
	{
		column->value_y = place_column(wanted, without_exact_cast(linitial(call->args)));
		column->value = place_column(wanted, without_exact_cast(lsecond(call->args)));
		memcpy(&column->pair, DatumGetPointer(lthird_node(Const, call->args)->constvalue),
			   sizeof(DpMomentsSpec));
	}
}

bool
dp_units_collect(DpUnitsWanted *wanted, Oid over_units)
{
	collect_walker((Node *) wanted->root->processed_tlist, wanted);
	return wanted->aggregates != NIL &&
		linitial_node(Aggref, wanted->aggregates)->aggfnoid == over_units;
}

void
dp_units_describe(DpUnitsWanted *wanted, Oid over_units)
{
	int			ncolumns = list_length(wanted->aggregates);
	Node	   *unit = argument(linitial_node(Aggref, wanted->aggregates), 0);
	ListCell   *lc;

	wanted->plan = palloc0(DpUnitsPlanSize(ncolumns));
	SET_VARSIZE(wanted->plan, DpUnitsPlanSize(ncolumns));
	wanted->plan->ncolumns = ncolumns;
	wanted->plan->rows_are_units = read_ask(linitial(wanted->aggregates))->rows_are_units;
	wanted->plan->by_parts = read_ask(linitial(wanted->aggregates))->by_parts;
	if (!wanted->plan->rows_are_units)
		wanted->child = list_make1(unit);
	add_keys(wanted);
	foreach(lc, wanted->aggregates)
	{
		const Aggref *aggref = lfirst_node(Aggref, lc);
		const DpUnitsAsk *ask = read_ask(aggref);
		DpUnitsColumn *column = &wanted->plan->column[foreach_current_index(lc)];

		if (aggref->aggfnoid != over_units || !equal(argument(aggref, 0), unit) ||
			wanted->plan->rows_are_units != ask->rows_are_units ||
			wanted->plan->by_parts != ask->by_parts ||
			(wanted->plan->max_groups != 0 && wanted->plan->max_groups != ask->max_groups))
			elog(ERROR, "unexpected aggregate over units");
		if (ask->rows_are_units && (ask->kind == DP_UNITS_CELLS || ask->kind >= DP_UNITS_VALUES))
			elog(ERROR, "unexpected aggregate over rows that are units");
		if (ask->by_parts && (ask->rows_are_units || (ask->kind > DP_UNITS_MEAN && ask->kind != DP_UNITS_CELLS)))
			elog(ERROR, "unexpected aggregate over parts of units");
		if (ask->ladder.steps > 0 && (ask->by_parts || ask->rows_are_units ||
									  ((ask->kind < DP_UNITS_ROWS || ask->kind > DP_UNITS_MEAN) &&
									   ask->kind != DP_UNITS_CLASSES)))
			elog(ERROR, "unexpected ladder of an aggregate over units");
		wanted->plan->max_groups = ask->max_groups;
		column->kind = ask->kind;
		column->grid = ask->grid;
		column->lower = ask->lower;
		column->upper = ask->upper;
		column->max_rows = ask->max_rows;
		column->width_y = ask->width_y;
		column->shape = ask->shape;
		column->cells = ask->cells;
		column->multiplier = ask->multiplier;
		column->ladder = ask->ladder;
		add_value(wanted, column, argument(aggref, 1));
	}
}
