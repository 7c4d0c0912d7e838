/* SPDX-License-Identifier: PostgreSQL */
/*
 * key_closure.c
 *	  Which columns determine the unit of a query's rows; see key_closure.h.
 *
 * A query is looked at as it was parsed or as it was merged, since who asks first decides what is merged.  What outer
 * joins may put NULLs in place of determines nothing: its NULLs are many units'.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "from/join_equality.h"
#include "from/key_closure.h"
#include "policy/policy.h"
#include "policy/record_key.h"
#include "policy/unique.h"
#include "tree/make_nodes.h"

/* Most items that are looked at for one question, counted in *items: with more, nothing is known. */
#define MOST_ITEMS 100

/* A record's key in columns of a query. */
typedef struct Record
{
	Oid			relid;			/* the table that has the key */
	List	   *keys;			/* of int: its columns there */
	List	   *columns;		/* of Var: those that hold them here */
} Record;

/* What FROM always has: items that no outer join replaces by NULLs, and conditions that hold for every row. */
typedef struct Always
{
	Relids		items;
	List	   *conditions;		/* of DpCondition */
} Always;

static List *records_of_query(Query *query, List *levels, const Always *always, List *columns, int *items);

Query *
dp_from_subquery_of(RangeTblEntry *rte, List *levels, List **inner_levels)
{
	Query	   *query = NULL;
	ListCell   *lc;

	if (rte->rtekind == RTE_SUBQUERY)
		query = rte->subquery;
	else if (rte->rtekind == RTE_CTE && !rte->self_reference && rte->ctelevelsup < list_length(levels))
	{
		levels = list_copy_tail(levels, rte->ctelevelsup);
		foreach(lc, linitial_node(Query, levels)->cteList)
			if (strcmp(lfirst_node(CommonTableExpr, lc)->ctename, rte->ctename) == 0)
				query = (Query *) lfirst_node(CommonTableExpr, lc)->ctequery;
	}
	if (query == NULL || !IsA(query, Query) || query->commandType != CMD_SELECT)
		return NULL;
	*inner_levels = lcons(query, list_copy(levels));
	return query;
}

/* Add a condition, in which columns of joins are those that they stand for. */
static void
add_condition(Query *query, Node *quals, Always *always)
{
	DpCondition *condition;

	if (quals == NULL)
		return;
	condition = palloc0(sizeof(DpCondition));
	condition->quals = dp_compat_flatten_joins(query, copyObject(quals));
	always->conditions = lappend(always->conditions, condition);
}

/* Collect what is always there below a node of the join tree. */
static void
collect_always(Query *query, Node *node, Always *always)
{
	ListCell   *lc;

	check_stack_depth();
	if (IsA(node, RangeTblRef))
		always->items = bms_add_member(always->items, ((RangeTblRef *) node)->rtindex);
	else if (IsA(node, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) node;

		if (join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT)
			collect_always(query, join->larg, always);
		if (join->jointype == JOIN_INNER || join->jointype == JOIN_RIGHT)
			collect_always(query, join->rarg, always);
		if (join->jointype == JOIN_INNER)
			add_condition(query, join->quals, always);
	}
	else
	{
		foreach(lc, castNode(FromExpr, node)->fromlist)
			collect_always(query, lfirst(lc), always);
		add_condition(query, ((FromExpr *) node)->quals, always);
	}
}

static Always
always_of(Query *query)
{
	Always		always = {0};

	collect_always(query, (Node *) query->jointree, &always);
	return always;
}

/* The column of an item that an expression of a query is, without casts that change nothing; or NULL. */
static Var *
plain_column(Query *query, Node *expr)
{
	Var		   *var = (Var *) dp_tree_without_casts(expr);
	Node	   *grouped;

	if (var == NULL || !IsA(var, Var) || var->varlevelsup > 0 || var->varattno <= 0)
		return NULL;
	grouped = dp_compat_grouped(rt_fetch(var->varno, query->rtable), var->varattno);
	if (grouped)
		return plain_column(query, grouped);
	if (rt_fetch(var->varno, query->rtable)->rtekind != RTE_JOIN)
		return var;
	var = (Var *) dp_tree_without_casts(dp_compat_flatten_joins(query, (Node *) copyObject(var)));
	return IsA(var, Var) && var->varattno > 0 ? var : NULL;
}

static bool
is_column(const Var *column, const Var *other)
{
	return column->varno == other->varno && column->varattno == other->varattno;
}

/* Is a column among these? */
static bool
is_among(const Var *column, List *columns)
{
	ListCell   *lc;

	foreach(lc, columns)
		if (is_column(column, lfirst_node(Var, lc)))
			return true;
	return false;
}

/* The records that a table's rows have or refer to by these of its columns, or by any if that is NULL. */
static List *
records_of_table(Oid relid, Index varno, const Bitmapset *columns)
{
	Relation	relation;
	List	   *records = NIL;
	ListCell   *lc;

	if (!dp_policy_is_protected(relid))
		return NIL;
	relation = table_open(relid, AccessShareLock);
	foreach(lc, dp_policy_record_keys(relation, columns))
	{
		const DpRecordKey *key = lfirst(lc);
		Record	   *record = palloc0(sizeof(Record));

		record->relid = key->relid;
		for (int i = 0; i < key->ncolumns; i++)
		{
			Form_pg_attribute column = TupleDescAttr(RelationGetDescr(relation), key->columns[i] - 1);

			record->keys = lappend_int(record->keys, key->keys[i]);
			record->columns = lappend(record->columns,
									  makeVar(varno, key->columns[i], column->atttypid, column->atttypmod,
											  column->attcollation, 0));
		}
		records = lappend(records, record);
	}
	table_close(relation, NoLock);
	return records;
}

/* The first column of a subquery that shows one of these, as a column of the item; or NULL. */
static Var *
shown_column(Query *query, Index varno, List *columns)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		const Var  *column = target->resjunk ? NULL : plain_column(query, (Node *) target->expr);

		if (column && is_among(column, columns))
			return makeVarFromTargetEntry(varno, target);
	}
	return NULL;
}

/* These columns, and all that equal one of them in every row. */
static List *
with_equal(List *columns, List *equalities)
{
	List	   *reached = NIL;
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, columns)
	{
		if (is_among(lfirst(lc), reached))
			continue;
		foreach(lc2, dp_from_columns_equal_to(lfirst(lc), equalities))
			reached = lappend(reached, lfirst(lc2));
	}
	return reached;
}

/* What a subquery shows in these columns, where that is a column of what it reads; in any, if they are NULL. */
static List *
columns_shown(Query *query, const Bitmapset *columns)
{
	List	   *shown = NIL;
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		Var		   *column = target->resjunk || (columns && !bms_is_member(target->resno, columns))
			? NULL : plain_column(query, (Node *) target->expr);

		if (column)
			shown = lappend(shown, column);
	}
	return shown;
}

/* The records of a subquery's rows whose keys it shows in these columns. */
static List *
records_of_subquery(Query *query, List *levels, Index varno, const Bitmapset *columns, int *items)
{
	List	   *records = NIL;
	Always		always;
	List	   *equalities;
	ListCell   *lc;
	ListCell   *lc2;

	if (query->setOperations || query->groupingSets)
		return NIL;
	always = always_of(query);
	equalities = dp_from_equalities(always.conditions);
	foreach(lc, records_of_query(query, levels, &always, with_equal(columns_shown(query, columns), equalities), items))
	{
		const Record *record = lfirst(lc);
		Record	   *shown = palloc0(sizeof(Record));

		shown->relid = record->relid;
		shown->keys = record->keys;
		foreach(lc2, record->columns)
		{
			Var		   *column = shown_column(query, varno, dp_from_columns_equal_to(lfirst(lc2), equalities));

			if (column)
				shown->columns = lappend(shown->columns, column);
		}
		if (list_length(shown->columns) == list_length(shown->keys))
			records = lappend(records, shown);
	}
	return records;
}

/* The records of an item's rows, by these of its columns, or by any if that is NULL. */
static List *
records_of_item(Query *query, List *levels, Index varno, const Bitmapset *columns, int *items)
{
	RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	List	   *inner_levels;
	Query	   *inner;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if ((*items)++ >= MOST_ITEMS)
		return NIL;
	if (rte->rtekind == RTE_RELATION && rte->relkind != RELKIND_VIEW)
		return records_of_table(rte->relid, varno, columns);
	inner = dp_from_subquery_of(rte, levels, &inner_levels);
	return inner ? records_of_subquery(inner, inner_levels, varno, columns, items) : NIL;
}

/* The records of a query's rows, by these columns of what is always there. */
static List *
records_of_query(Query *query, List *levels, const Always *always, List *columns, int *items)
{
	List	   *records = NIL;
	int			varno = -1;
	ListCell   *lc;

	while ((varno = bms_next_member(always->items, varno)) >= 0)
	{
		Bitmapset  *own = NULL;

		foreach(lc, columns)
			if (lfirst_node(Var, lc)->varno == varno)
				own = bms_add_member(own, lfirst_node(Var, lc)->varattno);
		if (own)
			records = list_concat(records, records_of_item(query, levels, varno, own, items));
	}
	return records;
}

/* Is one of these arguments of a strict operator, or of IS NOT NULL, the column? */
static bool
is_argument(Query *query, const Var *column, List *args)
{
	ListCell   *lc;

	foreach(lc, args)
	{
		const Var  *argument = plain_column(query, lfirst(lc));

		if (argument && is_column(argument, column))
			return true;
	}
	return false;
}

/* Is a condition not true where the column is NULL, as can be seen from it or from a member of its AND? */
static bool
is_required(Query *query, const Var *column, Node *quals)
{
	ListCell   *lc;

	if (quals == NULL)
		return false;
	if (IsA(quals, List) || is_andclause(quals))
	{
		foreach(lc, IsA(quals, List) ? (List *) quals : ((BoolExpr *) quals)->args)
			if (is_required(query, column, lfirst(lc)))
				return true;
		return false;
	}
	if (IsA(quals, NullTest))
		return ((NullTest *) quals)->nulltesttype == IS_NOT_NULL &&
			is_argument(query, column, list_make1(((NullTest *) quals)->arg));
	if (IsA(quals, OpExpr))
		return op_strict(((OpExpr *) quals)->opno) && is_argument(query, column, ((OpExpr *) quals)->args);
	if (IsA(quals, ScalarArrayOpExpr))
		return ((ScalarArrayOpExpr *) quals)->useOr && op_strict(((ScalarArrayOpExpr *) quals)->opno) &&
			is_argument(query, column, list_make1(linitial(((ScalarArrayOpExpr *) quals)->args)));
	return false;
}

/* Is a column of what is always there never NULL? */
static bool
column_is_never_null(Query *query, List *levels, Var *column, const Always *always)
{
	RangeTblEntry *rte = rt_fetch(column->varno, query->rtable);
	List	   *inner_levels;
	Query	   *inner;
	TargetEntry *target;
	ListCell   *lc;

	if (!bms_is_member(column->varno, always->items))
		return false;
	foreach(lc, always->conditions)
		if (is_required(query, column, ((const DpCondition *) lfirst(lc))->quals))
			return true;
	if (rte->rtekind == RTE_RELATION)
		return rte->relkind != RELKIND_VIEW && dp_policy_is_declared_not_null(rte, column->varattno);
	inner = dp_from_subquery_of(rte, levels, &inner_levels);
	if (inner == NULL || inner->setOperations || inner->groupingSets)
		return false;
	target = get_tle_by_resno(inner->targetList, column->varattno);
	return target && dp_from_is_never_null(inner, inner_levels, (Node *) target->expr);
}

bool
dp_from_is_never_null(Query *query, List *levels, Node *expr)
{
	Var		   *column = plain_column(query, expr);
	Always		always;

	check_stack_depth();
	if (column == NULL)
		return false;
	always = always_of(query);
	return column_is_never_null(query, levels, column, &always);
}

/* Is a column of a record's key, which equals these others, named by one of the columns, and not NULL? */
static bool
is_named(Query *query, List *levels, Var *column, List *named, const Always *always, List *equalities)
{
	List	   *equal = dp_from_columns_equal_to(column, equalities);
	ListCell   *lc;

	foreach(lc, named)
		if (is_among(lfirst(lc), equal))
			return list_length(equal) > 1 || column_is_never_null(query, levels, column, always);
	return false;
}

bool
dp_from_names_record(Query *query, List *levels, List *exprs)
{
	int			items = 0;
	List	   *named = NIL;
	Always		always;
	List	   *equalities;
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, exprs)
	{
		Var		   *column = plain_column(query, lfirst(lc));

		if (column)
			named = lappend(named, column);
	}
	if (named == NIL)
		return false;
	always = always_of(query);
	equalities = dp_from_equalities(always.conditions);
	foreach(lc, records_of_query(query, levels, &always, with_equal(named, equalities), &items))
	{
		bool		all = true;

		foreach(lc2, ((const Record *) lfirst(lc))->columns)
			all = all && is_named(query, levels, lfirst(lc2), named, &always, equalities);
		if (all)
			return true;
	}
	return false;
}

/* Are these records the same, in every row for which the equalities hold? */
static bool
are_same(const Record *record, const Record *other, List *equalities)
{
	ListCell   *lc;
	ListCell   *lc2;

	if (record->relid != other->relid || !equal(record->keys, other->keys))
		return false;
	forboth(lc, record->columns, lc2, other->columns)
		if (!is_among(lfirst(lc2), dp_from_columns_equal_to(lfirst(lc), equalities)))
			return false;
	return true;
}

bool
dp_from_is_same_record(const DpFromItem *leaf, const DpFromItem *other, List *equalities)
{
	int			items = 0;
	List	   *with = dp_from_equalities_with(equalities, leaf);
	List	   *records = records_of_item(leaf->query, NIL, leaf->varno, NULL, &items);
	List	   *others = records ? records_of_item(other->query, NIL, other->varno, NULL, &items) : NIL;
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, records)
		foreach(lc2, others)
			if (are_same(lfirst(lc), lfirst(lc2), with))
				return true;
	return false;
}
