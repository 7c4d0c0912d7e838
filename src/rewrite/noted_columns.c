/* SPDX-License-Identifier: PostgreSQL */
/*
 * noted_columns.c
 *	  Columns of a statement that are compared with their noise while they are shown.
 *
 *		SELECT m, n - lag(n) OVER (ORDER BY m) FROM (SELECT m, dp_count(*) AS n FROM t GROUP BY m) q
 *
 * becomes
 *
 *		SELECT m, noted(n - lag(n) OVER (ORDER BY m), CASE WHEN is_noted(1) THEN term END, label, 1)
 *			FROM (SELECT m, dp_count(*) AS n, noted_term(dp_count(*)) AS term FROM t GROUP BY m) q
 *
 * where term is what interval_terms.c makes of the first argument, which noted returns (statement/noise_notice.c).  After as many
 * rows as are looked at, terms are not made any more.
 * Aggregates that are shown as they are have nothing to be noted: their block knows them (shown_values.c).
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"

#include "pricing/asked.h"
#include "rewrite/interval_terms.h"
#include "rewrite/noted_columns.h"
#include "tree/make_nodes.h"

/* Bytes of the text that stands for a column without a name. */
#define MOST_TEXT 100

/* A walk over the columns that might be noted. */
typedef struct Walk
{
	const DpStatement *statement;
	int			met;			/* columns so far */
	int			wanted;			/* the one that is to be noted, from 0; -1: none */
	bool		noted;
} Walk;

/* Is a column one of those by which rows are told apart or put in windows? */
static bool
is_in(const TargetEntry *target, List *clauses)
{
	ListCell   *lc;

	foreach(lc, clauses)
		if (lfirst_node(SortGroupClause, lc)->tleSortGroupRef == target->ressortgroupref)
			return true;
	return false;
}

static bool
decides_on_rows(const TargetEntry *target, const Query *query)
{
	ListCell   *lc;

	if (target->ressortgroupref == 0)
		return false;
	foreach(lc, query->windowClause)
		if (is_in(target, lfirst_node(WindowClause, lc)->partitionClause) || is_in(target, lfirst_node(WindowClause, lc)->orderClause))
			return true;
	return is_in(target, query->groupClause) || is_in(target, query->distinctClause) || query->groupingSets != NIL;
}

bool
dp_rewrite_is_number(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return true;
		default:
			return false;
	}
}

/* Is a column of the innermost level arithmetic on released values? */
static bool
may_be_noted(const TargetEntry *target, List *levels)
{
	return !target->resjunk && dp_rewrite_is_number(exprType((Node *) target->expr)) &&
		!decides_on_rows(target, linitial_node(Query, levels)) && !dp_rewrite_is_answer((Node *) target->expr, levels);
}

static bool
has_window(Node *node, void *context)
{
	return node != NULL && (IsA(node, WindowFunc) || expression_tree_walker(node, has_window, context));
}

/* What the notice calls a column: its name if it has one, else its text, or its number. */
static char *
label_of(const TargetEntry *target, Query *query, const DpStatement *statement)
{
	char	   *text;
	int			length;

	if (target->resname && strcmp(target->resname, "?column?") != 0)
		return pstrdup(target->resname);
	if (has_window((Node *) target->expr, NULL))
		return psprintf("column %d", target->resno);
	text = dp_pricing_text(&statement->reads, query, (Node *) target->expr);
	length = pg_mbcliplen(text, strlen(text), MOST_TEXT);
	return length < (int) strlen(text) ? psprintf("%.*s...", length, text) : text;
}

/* Have a column tell of its value and its term; returns whether it has one. */
static bool
note_column(TargetEntry *target, List *levels, const Walk *walk)
{
	Oid			types[] = {ANYELEMENTOID, BYTEAOID, TEXTOID, INT4OID};
	Node	   *value = (Node *) target->expr;
	Node	   *term = dp_rewrite_noted_term(value, levels);
	Oid			type = INT4OID;
	Node	   *noted;
	Datum		label;

	if (term == NULL)
		return false;
	label = CStringGetTextDatum(label_of(target, linitial_node(Query, levels), walk->statement));
	term = dp_tree_make_if((Node *) dp_tree_make_call("is_noted", &type, 1, list_make1(dp_tree_make_int4(walk->wanted)), BOOLOID), term);
	noted = (Node *) dp_tree_make_call("noted", types, lengthof(types),
									   list_make4(value, term, makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, label, false, false),
												  dp_tree_make_int4(walk->wanted)), exprType(value));
	if (exprTypmod(value) >= 0)
		noted = (Node *) makeRelabelType((Expr *) noted, exprType(value), exprTypmod(value), InvalidOid, COERCE_IMPLICIT_CAST);
	target->expr = (Expr *) noted;
	return true;
}

static void walk_level(Query *query, List *levels, Walk *walk);

/* Go through the branches of a set operation. */
static void
walk_branches(Node *operation, List *levels, Walk *walk)
{
	if (IsA(operation, SetOperationStmt))
	{
		walk_branches(((SetOperationStmt *) operation)->larg, levels, walk);
		walk_branches(((SetOperationStmt *) operation)->rarg, levels, walk);
	}
	else if (IsA(operation, RangeTblRef))
		walk_level(rt_fetch(((RangeTblRef *) operation)->rtindex, linitial_node(Query, levels)->rtable)->subquery, levels, walk);
}

/* Go through the columns of a query, within these levels, that its statement shows. */
static void
walk_level(Query *query, List *levels, Walk *walk)
{
	ListCell   *lc;

	check_stack_depth();
	levels = lcons(query, list_copy(levels));
	if (query->setOperations)
	{
		walk_branches(query->setOperations, levels, walk);
		return;
	}
	foreach(lc, query->targetList)
		if (may_be_noted(lfirst_node(TargetEntry, lc), levels) && walk->met++ == walk->wanted)
			walk->noted = note_column(lfirst_node(TargetEntry, lc), levels, walk);
}

/* Go through those of a statement. */
static void
walk_statement(Query *query, Walk *walk)
{
	RangeTblEntry *rte;

	if (query->commandType == CMD_SELECT)
		walk_level(query, NIL, walk);
	else if (query->commandType == CMD_INSERT && query->jointree->fromlist != NIL && IsA(linitial(query->jointree->fromlist), RangeTblRef))
	{
		rte = rt_fetch(linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex, query->rtable);
		if (rte->rtekind == RTE_SUBQUERY)
			walk_level(rte->subquery, list_make1(query), walk);
	}
}

Query *
dp_rewrite_note_columns(Query *query, const DpStatement *statement)
{
	Walk		count = {.statement = statement, .wanted = -1};

	if (!dp_settings_noise_notice)
		return query;
	walk_statement(query, &count);
	for (int i = 0; i < Min(count.met, DP_REWRITE_MOST_NOTED); i++)
	{
		Query	   *copy = copyObject(query);
		Walk		walk = {.statement = statement, .wanted = i};

		walk_statement(copy, &walk);
		if (walk.noted)
			query = copy;
	}
	return query;
}
