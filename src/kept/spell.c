/* SPDX-License-Identifier: PostgreSQL */
/*
 * spell.c
 *	  Expressions as texts; see spell.h.
 *
 * Members of AND and OR come in an order of their own, and so do the operands of operators that
 * have a commutator, lists of IN, ANY and ALL.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "expression/refusals.h"
#include "from/split_rows.h"
#include "kept/equal_columns.h"
#include "kept/name.h"
#include "kept/spell.h"
#include "tree/make_nodes.h"

/* Prefixes of nodes. */
enum
{
	SAYS_NOTHING = '0',
	SAYS_AGGREGATE = 'A',
	SAYS_AND = '&',
	SAYS_ARRAY_CAST = 'Y',
	SAYS_ARRAY_OPERATOR = 'I',
	SAYS_BOOLEAN_TEST = 'B',
	SAYS_CASE = 'C',
	SAYS_CASE_VALUE = 'c',
	SAYS_COALESCE = 'L',
	SAYS_COLUMN = 'V',
	SAYS_CONSTANT = 'K',
	SAYS_DISTINCT = 'D',
	SAYS_ELEMENT = 'E',
	SAYS_FUNCTION = 'F',
	SAYS_IO_CAST = 'T',
	SAYS_MINMAX = 'M',
	SAYS_NOT = '!',
	SAYS_NULLIF = 'U',
	SAYS_NULL_TEST = 'N',
	SAYS_OPERATOR = 'O',
	SAYS_OR = '|',
	SAYS_RELABEL = 'R',
	SAYS_SUBSELECT = 'S',
	SAYS_WINDOW = 'W',
	SAYS_WINDOW_OF_NULLS = 'w'
};

static void
spell_list(DpSpelling *spelling, const DpLevel *level, StringInfo text, List *nodes)
{
	ListCell   *lc;

	pq_sendint32(text, list_length(nodes));
	foreach(lc, nodes)
		dp_kept_spell(spelling, level, text, lfirst(lc));
}

/* Texts of the members of an AND or OR, and of those of the same kind within. */
static List *
spell_members(DpSpelling *spelling, const DpLevel *level, List *nodes, BoolExprType kind, List *texts)
{
	ListCell   *lc;

	foreach(lc, nodes)
	{
		Node	   *node = lfirst(lc);

		if (dp_kept_says_nothing(node, kind))
			continue;
		if (IsA(node, BoolExpr) && ((BoolExpr *) node)->boolop == kind)
			texts = spell_members(spelling, level, ((BoolExpr *) node)->args, kind, texts);
		else if (IsA(node, List) && kind == AND_EXPR)
			texts = spell_members(spelling, level, (List *) node, kind, texts);
		else
		{
			StringInfo	text = dp_kept_new_text();

			dp_kept_spell(spelling, level, text, node);
			texts = lappend(texts, text);
		}
	}
	return texts;
}

void
dp_kept_spell_conditions(DpSpelling *spelling, const DpLevel *level, StringInfo text, List *conditions)
{
	pq_sendbyte(text, SAYS_AND);
	dp_kept_spell_set(text, spell_members(spelling, level, conditions, AND_EXPR, NIL));
}

static void
spell_boolean(DpSpelling *spelling, const DpLevel *level, StringInfo text, const BoolExpr *node)
{
	if (node->boolop == AND_EXPR)
		dp_kept_spell_conditions(spelling, level, text, node->args);
	else if (node->boolop == OR_EXPR)
	{
		pq_sendbyte(text, SAYS_OR);
		dp_kept_spell_set(text, spell_members(spelling, level, node->args, OR_EXPR, NIL));
	}
	else
	{
		pq_sendbyte(text, SAYS_NOT);
		dp_kept_spell(spelling, level, text, linitial(node->args));
	}
}

/* A column: of a table by its name, of a query in FROM by its number there. */
static void
spell_column(DpSpelling *spelling, const DpLevel *level, StringInfo text, const Var *var)
{
	const RangeTblEntry *entry;

	if (level == NULL || var->varlevelsup > 0 || var->varattno <= 0 || level->numbers[var->varno] == 0)
	{
		dp_kept_spell_unknown(spelling, "a column of item", var->varno);
		return;
	}
	var = dp_kept_first_equal(level, var);
	entry = rt_fetch(var->varno, level->query->rtable);
	pq_sendbyte(text, SAYS_COLUMN);
	pq_sendint32(text, level->numbers[var->varno]);
	if (entry->rtekind == RTE_RELATION)
	{
		dp_kept_note(spelling, dp_kept_name_column(text, entry->relid, var->varattno));
		dp_kept_note(spelling, dp_kept_name_type(text, var->vartype));
	}
	else
		pq_sendint32(text, level->columns[var->varno][var->varattno]);
}

static void
spell_function(DpSpelling *spelling, const DpLevel *level, StringInfo text, const FuncExpr *call)
{
	Oid			tried = dp_kept_called_by_attempt(call);

	if ((call->funcretset && !dp_from_is_elements(call)) || call->funcvariadic)
		dp_kept_spell_unknown(spelling, "a set-returning or variadic function", call->funcid);

	/* Functions of ours depend on no setting, but for those that they try. */
	if (OidIsValid(tried) || call->funcid < FirstUnpinnedObjectId)
		dp_kept_note_volatility(spelling, dp_kept_volatility(OidIsValid(tried) ? tried : call->funcid));
	pq_sendbyte(text, SAYS_FUNCTION);
	dp_kept_note(spelling, dp_kept_name_function(text, call->funcid));
	dp_kept_note(spelling, dp_kept_name_type(text, call->funcresulttype));
	dp_kept_note(spelling, dp_kept_name_collation(text, call->inputcollid));
	spell_list(spelling, level, text, call->args);
}

/* An operator with two operands, or their exchange if that is before it in the order of texts. */
static void
spell_binary(DpSpelling *spelling, const DpLevel *level, StringInfo text, const OpExpr *call)
{
	StringInfo	left = dp_kept_new_text();
	StringInfo	right = dp_kept_new_text();
	Oid			commutator = IsA(call, NullIfExpr) ? InvalidOid : dp_kept_commutator(call->opno);
	bool		exchanged;

	dp_kept_spell(spelling, level, left, linitial(call->args));
	dp_kept_spell(spelling, level, right, lsecond(call->args));
	exchanged = OidIsValid(commutator) && dp_kept_compare_texts(left, right) > 0;
	dp_kept_note(spelling, dp_kept_name_operator(text, exchanged ? commutator : call->opno));
	dp_kept_append_text(text, exchanged ? right : left);
	dp_kept_append_text(text, exchanged ? left : right);
	pfree(left->data);
	pfree(right->data);
}

/* OpExpr, DistinctExpr, NullIfExpr */
static void
spell_operator(DpSpelling *spelling, const DpLevel *level, StringInfo text, const OpExpr *call)
{
	dp_kept_note_volatility(spelling, dp_kept_operator_volatility(call->opno));
	pq_sendbyte(text, IsA(call, OpExpr) ? SAYS_OPERATOR : IsA(call, NullIfExpr) ? SAYS_NULLIF : SAYS_DISTINCT);
	dp_kept_note(spelling, dp_kept_name_collation(text, call->inputcollid));
	pq_sendbyte(text, list_length(call->args));
	if (list_length(call->args) == 2)
		spell_binary(spelling, level, text, call);
	else
	{
		dp_kept_note(spelling, dp_kept_name_operator(text, call->opno));
		dp_kept_spell(spelling, level, text, linitial(call->args));
	}
}

/*
 * IN, ANY, ALL: what stands in the list, whatever the order and however often; what begins otherwise
 * is an expression.
 */
static void
spell_array_operator(DpSpelling *spelling, const DpLevel *level, StringInfo text, const ScalarArrayOpExpr *call)
{
	Const	   *array = lsecond(call->args);

	dp_kept_note_volatility(spelling, dp_kept_operator_volatility(call->opno));
	pq_sendbyte(text, SAYS_ARRAY_OPERATOR);
	dp_kept_note(spelling, dp_kept_name_operator(text, call->opno));
	dp_kept_note(spelling, dp_kept_name_collation(text, call->inputcollid));
	pq_sendbyte(text, call->useOr);
	dp_kept_spell(spelling, level, text, linitial(call->args));
	if (!IsA(array, Const))
		dp_kept_spell(spelling, level, text, (Node *) array);
	else if (array->constisnull)
		pq_sendbyte(text, SAYS_NOTHING);
	else
	{
		pq_sendbyte(text, SAYS_CONSTANT);
		dp_kept_note(spelling, dp_kept_name_elements(text, array, true));
	}
}

static void
spell_case(DpSpelling *spelling, const DpLevel *level, StringInfo text, const CaseExpr *node)
{
	ListCell   *lc;

	pq_sendbyte(text, SAYS_CASE);
	dp_kept_spell(spelling, level, text, (Node *) node->arg);
	pq_sendint32(text, list_length(node->args));
	foreach(lc, node->args)
	{
		dp_kept_spell(spelling, level, text, (Node *) lfirst_node(CaseWhen, lc)->expr);
		dp_kept_spell(spelling, level, text, (Node *) lfirst_node(CaseWhen, lc)->result);
	}
	dp_kept_spell(spelling, level, text, (Node *) node->defresult);
}

/* A cast by way of a text, such as every type has. */
static void
spell_io_cast(DpSpelling *spelling, const DpLevel *level, StringInfo text, const CoerceViaIO *cast)
{
	spelling->unsettled |= !dp_kept_has_one_text(exprType((Node *) cast->arg));
	pq_sendbyte(text, SAYS_IO_CAST);
	dp_kept_note(spelling, dp_kept_name_type(text, cast->resulttype));
	dp_kept_spell(spelling, level, text, (Node *) cast->arg);
}

/* A cast of an array whose elements stay as they are. */
static void
spell_array_cast(DpSpelling *spelling, const DpLevel *level, StringInfo text, const ArrayCoerceExpr *cast)
{
	if (!dp_expression_renames_elements(cast))
		dp_kept_spell_unknown(spelling, "a cast of elements to type", cast->resulttype);
	pq_sendbyte(text, SAYS_ARRAY_CAST);
	dp_kept_note(spelling, dp_kept_name_type(text, cast->resulttype));
	dp_kept_spell(spelling, level, text, (Node *) cast->arg);
}

static void
spell_minmax(DpSpelling *spelling, const DpLevel *level, StringInfo text, const MinMaxExpr *node)
{
	pq_sendbyte(text, SAYS_MINMAX);
	pq_sendbyte(text, node->op == IS_GREATEST);
	dp_kept_note(spelling, dp_kept_name_type(text, node->minmaxtype));
	dp_kept_note(spelling, dp_kept_name_collation(text, node->inputcollid));
	spell_list(spelling, level, text, node->args);
}

/* Does an aggregate count all rows with what it keeps for a sum, or a mean, that comes before others? */
static bool
counts_rows(const Aggref *aggref)
{
	return aggref->aggfnoid >= FirstUnpinnedObjectId &&
		strcmp(get_func_name(aggref->aggfnoid), "exact_rows") == 0;
}

static void
spell_aggregate(DpSpelling *spelling, const DpLevel *level, StringInfo text, const Aggref *aggref)
{
	ListCell   *lc;

	if (counts_rows(aggref))
		aggref = dp_tree_make_count(NULL);
	if (aggref->aggdirectargs || aggref->aggorder || aggref->aggvariadic || aggref->agglevelsup > 0 ||
		aggref->aggkind != AGGKIND_NORMAL || aggref->aggsplit != AGGSPLIT_SIMPLE)
		dp_kept_spell_unknown(spelling, "a form of the aggregate", aggref->aggfnoid);
	pq_sendbyte(text, SAYS_AGGREGATE);
	dp_kept_note(spelling, dp_kept_name_function(text, aggref->aggfnoid));
	dp_kept_note(spelling, dp_kept_name_collation(text, aggref->inputcollid));
	pq_sendbyte(text, aggref->aggdistinct != NIL);
	pq_sendint32(text, list_length(aggref->args));
	foreach(lc, aggref->args)
		dp_kept_spell(spelling, level, text, (Node *) lfirst_node(TargetEntry, lc)->expr);
	dp_kept_spell(spelling, level, text, (Node *) aggref->aggfilter);
}

/* The expressions and operators of a window's clauses, in their order. */
static void
spell_clauses(DpSpelling *spelling, const DpLevel *level, StringInfo text, List *clauses)
{
	ListCell   *lc;

	pq_sendint32(text, list_length(clauses));
	foreach(lc, clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);

		dp_kept_spell_clause(spelling, text, clause);
		dp_kept_spell(spelling, level, text, get_sortgroupclause_expr(clause, level->query->targetList));
	}
}

/* A window function with its window, which is known by what it is and not by its number. */
static void
spell_window(DpSpelling *spelling, const DpLevel *level, StringInfo text, const WindowFunc *call)
{
	const WindowClause *window = list_nth_node(WindowClause, level->query->windowClause, call->winref - 1);

	if (window->winref != call->winref)
		dp_kept_spell_unknown(spelling, "a form of the window function", call->winfnoid);
	pq_sendbyte(text, dp_compat_treats_nulls(call) ? SAYS_WINDOW_OF_NULLS : SAYS_WINDOW);
	dp_kept_note(spelling, dp_kept_name_function(text, call->winfnoid));
	dp_kept_note(spelling, dp_kept_name_collation(text, call->inputcollid));
	spell_list(spelling, level, text, call->args);
	dp_kept_spell(spelling, level, text, (Node *) call->aggfilter);
	spell_clauses(spelling, level, text, window->partitionClause);
	spell_clauses(spelling, level, text, window->orderClause);
	pq_sendint32(text, window->frameOptions);
	dp_kept_spell(spelling, NULL, text, window->startOffset);
	dp_kept_spell(spelling, NULL, text, window->endOffset);
}

/* A subquery that reads nothing: a value computed once. */
static void
spell_subselect(DpSpelling *spelling, StringInfo text, const SubLink *link)
{
	Query	   *query = castNode(Query, link->subselect);

	if (link->subLinkType != EXPR_SUBLINK || link->testexpr || query->rtable || query->hasAggs ||
		query->jointree->quals || list_length(query->targetList) != 1)
		dp_kept_spell_unknown(spelling, "a subquery of kind", link->subLinkType);
	pq_sendbyte(text, SAYS_SUBSELECT);
	dp_kept_spell(spelling, NULL, text, (Node *) linitial_node(TargetEntry, query->targetList)->expr);
}

void
dp_kept_spell(DpSpelling *spelling, const DpLevel *level, StringInfo text, Node *node)
{
	if (node == NULL)
	{
		pq_sendbyte(text, SAYS_NOTHING);
		return;
	}
	check_stack_depth();
	switch (nodeTag(node))
	{
		case T_Var:
			spell_column(spelling, level, text, (Var *) node);
			break;
		case T_Const:
			pq_sendbyte(text, SAYS_CONSTANT);
			dp_kept_note(spelling, dp_kept_name_constant(text, (Const *) node));
			break;
		case T_FuncExpr:
			spell_function(spelling, level, text, (FuncExpr *) node);
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			spell_operator(spelling, level, text, (OpExpr *) node);
			break;
		case T_ScalarArrayOpExpr:
			spell_array_operator(spelling, level, text, (ScalarArrayOpExpr *) node);
			break;
		case T_BoolExpr:
			spell_boolean(spelling, level, text, (BoolExpr *) node);
			break;
		case T_CaseExpr:
			spell_case(spelling, level, text, (CaseExpr *) node);
			break;
		case T_CaseTestExpr:
			pq_sendbyte(text, SAYS_CASE_VALUE);
			break;
		case T_CoalesceExpr:
			pq_sendbyte(text, SAYS_COALESCE);
			spell_list(spelling, level, text, ((CoalesceExpr *) node)->args);
			break;
		case T_MinMaxExpr:
			spell_minmax(spelling, level, text, (MinMaxExpr *) node);
			break;
		case T_NullTest:
			if (((NullTest *) node)->argisrow)
				dp_kept_spell_unknown(spelling, "a test of a row", 0);
			pq_sendbyte(text, SAYS_NULL_TEST);
			pq_sendbyte(text, ((NullTest *) node)->nulltesttype == IS_NULL);
			dp_kept_spell(spelling, level, text, (Node *) ((NullTest *) node)->arg);
			break;
		case T_BooleanTest:
			pq_sendbyte(text, SAYS_BOOLEAN_TEST);
			pq_sendbyte(text, ((BooleanTest *) node)->booltesttype);
			dp_kept_spell(spelling, level, text, (Node *) ((BooleanTest *) node)->arg);
			break;
		case T_RelabelType:
			pq_sendbyte(text, SAYS_RELABEL);
			dp_kept_note(spelling, dp_kept_name_type(text, ((RelabelType *) node)->resulttype));
			dp_kept_spell(spelling, level, text, (Node *) ((RelabelType *) node)->arg);
			break;
		case T_CollateExpr:
			/* What compares or folds by a collation names it. */
			dp_kept_spell(spelling, level, text, (Node *) ((CollateExpr *) node)->arg);
			break;
		case T_CoerceViaIO:
			spell_io_cast(spelling, level, text, (CoerceViaIO *) node);
			break;
		case T_SubscriptingRef:
			pq_sendbyte(text, SAYS_ELEMENT);
			spell_list(spelling, level, text, ((SubscriptingRef *) node)->refupperindexpr);
			dp_kept_spell(spelling, level, text, (Node *) ((SubscriptingRef *) node)->refexpr);
			break;
		case T_ArrayCoerceExpr:
			spell_array_cast(spelling, level, text, (ArrayCoerceExpr *) node);
			break;
		case T_Aggref:
			spell_aggregate(spelling, level, text, (Aggref *) node);
			break;
		case T_WindowFunc:
			spell_window(spelling, level, text, (WindowFunc *) node);
			break;
		case T_SubLink:
			spell_subselect(spelling, text, (SubLink *) node);
			break;
		default:
			dp_kept_spell_unknown(spelling, "a node of type", nodeTag(node));
	}
}
