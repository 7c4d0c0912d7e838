/* SPDX-License-Identifier: PostgreSQL */
/*
 * parse_text.c
 *	  Queries and conditions given or generated as text.
 *
 * What stands in such a text is not what the analyst sent, so no place in it is
 * a place in the statement.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/nodes.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "tree/parse_text.h"

PG_FUNCTION_INFO_V1(dp_tree_is_condition);

/* Report errors as of the text, not at the caller's position. */
static void
generated_text_error(void *text)
{
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(text);
	}
}

/* The SELECT a text holds, if it is one and nothing else. */
static SelectStmt *
parse_select(char *text)
{
	ErrorContextCallback callback = {error_context_stack, generated_text_error, text};
	List	   *statements;
	Node	   *statement;

	error_context_stack = &callback;
	statements = raw_parser(text, RAW_PARSE_DEFAULT);
	error_context_stack = callback.previous;
	if (list_length(statements) != 1)
		return NULL;
	statement = linitial_node(RawStmt, statements)->stmt;
	return IsA(statement, SelectStmt) ? (SelectStmt *) statement : NULL;
}

bool
dp_tree_is_condition_text(const char *text)
{
	SelectStmt *select = parse_select(psprintf("SELECT\n%s\n", text));
	SelectStmt *empty = makeNode(SelectStmt);
	ResTarget  *target;

	if (select == NULL || list_length(select->targetList) != 1)
		return false;
	target = linitial_node(ResTarget, select->targetList);
	select->targetList = NIL;
	empty->limitOption = select->limitOption;
	return equal(select, empty) && target->name == NULL && target->indirection == NIL;
}

Datum
dp_tree_is_condition(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(dp_tree_is_condition_text(text_to_cstring(PG_GETARG_TEXT_PP(0))));
}

Query *
dp_tree_analyse_text(char *text, const Oid *types, int ntypes)
{
	RawStmt    *raw = makeNode(RawStmt);
	ErrorContextCallback callback;
	Query	   *query;

	raw->stmt = (Node *) parse_select(text);
	callback = (ErrorContextCallback) {error_context_stack, generated_text_error, text};
	error_context_stack = &callback;
	query = parse_analyze_fixedparams(raw, text, types, ntypes, NULL);
	error_context_stack = callback.previous;
	return query;
}

Query *
dp_tree_finish_text(Query *query)
{
	query = linitial_node(Query, pg_rewrite_query(query));

	/* Reading a tree forgets locations. */
	return stringToNode(nodeToString(query));
}

static void
set_for_now(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

char *
dp_tree_value_text(Datum value, Oid type)
{
	int			level = NewGUCNestLevel();
	Oid			output;
	bool		is_varlena;
	char	   *text;

	set_for_now("datestyle", "ISO");
	set_for_now("intervalstyle", "postgres");
	set_for_now("extra_float_digits", "3");
	getTypeOutputInfo(type, &output, &is_varlena);
	text = OidOutputFunctionCall(output, value);
	AtEOXact_GUC(true, level);
	return text;
}

Datum
dp_tree_value_of_text(Oid type, const char *text)
{
	Oid			input;
	Oid			parameter;

	getTypeInputInfo(type, &input, &parameter);
	return OidInputFunctionCall(input, unconstify(char *, text), parameter, -1);
}

ArrayType *
dp_tree_convert_array(ArrayType *array, Oid type)
{
	Oid			from = ARR_ELEMTYPE(array);
	int16		length;
	bool		byval;
	char		align;
	Datum	   *value;
	bool	   *isnull;
	int			count;

	get_typlenbyvalalign(from, &length, &byval, &align);
	deconstruct_array(array, from, length, byval, align, &value, &isnull, &count);
	for (int i = 0; i < count; i++)
		if (!isnull[i])
			value[i] = dp_tree_value_of_text(type, dp_tree_value_text(value[i], from));
	get_typlenbyvalalign(type, &length, &byval, &align);
	return construct_md_array(value, isnull, Min(ARR_NDIM(array), 1), &count,
							  (int[]) {1}, type, length, byval, align);
}
