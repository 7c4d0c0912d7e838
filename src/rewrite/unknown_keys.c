/* SPDX-License-Identifier: PostgreSQL */
/*
 * unknown_keys.c
 *	  Constants that no declared key equals.
 *
 *		SELECT count(*) FROM stays WHERE department = 'cardiology'
 *
 * is about nobody where the keys are 'Cardiology' and 'Oncology', and its answer is noise, which looks
 * like a small number.  What is said of it depends on the text, values of parameters and what owners declare
 * alone: keys are public.  They need not be all that the rows have, so that nothing is refused for that.
 */
#include "postgres.h"

#include "access/transam.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "rewrite/finite_keys.h"
#include "rewrite/unknown_keys.h"
#include "tree/make_nodes.h"

/* Most comparisons of keys with constants: of longer lists nothing is said. */
#define MOST_COMPARISONS 1000000

typedef struct Search
{
	Query	   *query;			/* around the node */
	List	   *columns;		/* of String: names of those that something was said of */
	List	   *said;			/* of String */
	int			comparisons;	/* of keys with constants */
} Search;

/* A column that is compared, and its keys. */
typedef struct Compared
{
	char	   *name;
	Datum	   *keys;
	int			nkeys;
	FmgrInfo	equality;
	Oid			collation;
	bool		is_left;		/* of the operator */
} Compared;

/*
 * Is it a column with declared keys, of which nothing was said yet, compared by an equality that is built in, or by
 * its opposite?
 */
static bool
read_compared(Search *search, Node *expr, Oid operator, Oid collation, bool is_left, Compared *compared)
{
	Var		   *column = (Var *) dp_tree_without_casts(expr);
	Oid			equality = strcmp(get_opname(operator), "<>") == 0 ? get_negator(operator) : operator;
	ArrayType  *keys;
	int16		length;
	bool		byval;
	char		align;

	if (column == NULL || !IsA(column, Var) || column->varlevelsup > 0 || !OidIsValid(equality) ||
		equality >= FirstUnpinnedObjectId || strcmp(get_opname(equality), "=") != 0 ||
		(keys = dp_rewrite_declared_keys(search->query, expr)) == NULL)
		return false;
	compared->name = get_rte_attribute_name(rt_fetch(column->varno, search->query->rtable), column->varattno);
	if (list_member(search->columns, makeString(compared->name)))
		return false;
	get_typlenbyvalalign(ARR_ELEMTYPE(keys), &length, &byval, &align);
	deconstruct_array(keys, ARR_ELEMTYPE(keys), length, byval, align, &compared->keys, NULL, &compared->nkeys);
	fmgr_info(get_opcode(equality), &compared->equality);
	compared->collation = collation;
	compared->is_left = is_left;
	return true;
}

/* Does any key equal a value? */
static bool
is_known(Search *search, Compared *compared, Datum value)
{
	for (int i = 0; i < compared->nkeys; i++)
	{
		Datum		key = compared->keys[i];

		if (++search->comparisons > MOST_COMPARISONS ||
			DatumGetBool(FunctionCall2Coll(&compared->equality, compared->collation,
										   compared->is_left ? key : value, compared->is_left ? value : key)))
			return true;
	}
	return false;
}

/* A value of the statement as it was written, cut at some length. */
static char *
written(Oid type, Datum value)
{
	Oid			output;
	bool		varlena;
	char	   *text;

	getTypeOutputInfo(type, &output, &varlena);
	text = OidOutputFunctionCall(output, value);
	if (strlen(text) > NAMEDATALEN)
		text[pg_mbcliplen(text, strlen(text), NAMEDATALEN)] = '\0';
	return text;
}

/* Say of a value that it is none of a column's keys, if so. */
static void
look_at_value(Search *search, Compared *compared, Oid type, Datum value)
{
	String	   *name = makeString(compared->name);

	CHECK_FOR_INTERRUPTS();
	if (list_member(search->columns, name) || is_known(search, compared, value))
		return;
	search->columns = lappend(search->columns, name);
	search->said = lappend(search->said, makeString(psprintf("no declared key of column \"%s\" equals \"%s\"",
															 compared->name, written(type, value))));
}

/* A comparison of a column with a constant. */
static void
look_at_operator(Search *search, const OpExpr *call)
{
	for (int i = 0; i < 2; i++)
	{
		const Const *constant = list_nth(call->args, 1 - i);
		Compared	compared;

		if (IsA(constant, Const) && !constant->constisnull &&
			read_compared(search, list_nth(call->args, i), call->opno, call->inputcollid, i == 0, &compared))
			look_at_value(search, &compared, constant->consttype, constant->constvalue);
	}
}

/* IN and NOT IN: each element of a list. */
static void
look_at_list(Search *search, const ScalarArrayOpExpr *call)
{
	const Const *list = lsecond(call->args);
	Compared	compared;
	ArrayIterator next;
	Datum		value;
	bool		isnull;

	if (!IsA(list, Const) || list->constisnull ||
		!read_compared(search, linitial(call->args), call->opno, call->inputcollid, true, &compared))
		return;
	next = array_create_iterator(DatumGetArrayTypeP(list->constvalue), 0, NULL);
	while (array_iterate(next, &value, &isnull))
		if (!isnull)
			look_at_value(search, &compared, get_element_type(list->consttype), value);
}

/* Look at a query's comparisons, with what is said so far. */
static bool
look(Node *node, void *context)
{
	Search	   *search = context;
	Query	   *around = search->query;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (IsA(node, Query))
	{
		search->query = (Query *) node;
		(void) query_tree_walker((Query *) node, look, search, QTW_IGNORE_JOINALIASES);
		search->query = around;
		return false;
	}
	if (IsA(node, OpExpr) && list_length(((OpExpr *) node)->args) == 2)
		look_at_operator(search, (OpExpr *) node);
	else if (IsA(node, ScalarArrayOpExpr))
		look_at_list(search, (ScalarArrayOpExpr *) node);
	return expression_tree_walker(node, look, search);
}

List *
dp_rewrite_unknown_keys(const DpBlockRewrite *rewrite)
{
	Search		search = {0};

	(void) look((Node *) rewrite->query, &search);
	return search.said;
}
