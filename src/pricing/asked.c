/*
 * asked.c
 *	  What a block asks, in words, for the ledger.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "pricing/asked.h"
#include "pricing/forms.h"
#include "pricing/label.h"
#include "pricing/running_call.h"
#include "tree/public_params.h"
#include "expression/fold_constants.h"

/* Longest text of a key, and of all conditions. */
#define KEY_BYTES 512
#define WHERE_BYTES 2048

/* Most aggregates that are named in one text. */
#define MOST_NAMED 20

/* What the list holds, each NULL or NIL if there is none. */
enum
{
	ASKED_CALL,
	ASKED_RELATIONS,
	ASKED_KEYS,
	ASKED_WHERE
};

/* What is found of a block's levels. */
typedef struct AskedContext
{
	Query	   *query;			/* the level */
	ParamListInfo params;
	List	   *relations;		/* names, and texts of what else FROM reads */
	List	   *conditions;		/* texts */
} AskedContext;

/* A text of so many bytes at most, cut between characters. */
static String *
cut(char *text, int most)
{
	int			length = strlen(text);

	if (length > most)
		text = psprintf("%.*s...", pg_mbcliplen(text, length, most - 3), text);
	return makeString(text);
}

static char *
text_of(Query *block, Node *expression, ParamListInfo params)
{
	return dp_query_text(block, dp_query_bind(expression, params));
}

/* Leave conditions that are always true out of an AND; NULL if none is left. */
static Node *
without_true(Node *quals)
{
	List	   *left = NIL;
	ListCell   *lc;

	foreach(lc, make_ands_implicit((Expr *) quals))
		if (!IsA(lfirst(lc), Const))
			left = lappend(left, lfirst(lc));
	return left ? (Node *) make_ands_explicit(left) : NULL;
}

static char *
name_of(Oid relid)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)), get_rel_name(relid));
}

static void read_level(Query *query, AskedContext *context);

/* Find relations in the order in which FROM names them. */
static bool
from_walker(Node *node, AskedContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblRef))
	{
		RangeTblEntry *rte = rt_fetch(((RangeTblRef *) node)->rtindex, context->query->rtable);
		char	   *public = dp_query_public_item_text(rte);

		if (rte->rtekind == RTE_RELATION)
			context->relations = list_append_unique(context->relations, makeString(name_of(rte->relid)));
		else if (public)
			context->relations = lappend(context->relations, cut(dp_query_on_one_line(public), KEY_BYTES));
		else if (rte->rtekind == RTE_SUBQUERY)
			read_level(rte->subquery, context);
		return false;
	}
	return expression_tree_walker(node, from_walker, context);
}

static String *join_conditions(List *conditions);

/* Find the relations of the parts of a UNION ALL, and what each part says of its rows. */
static void
read_parts(Query *query, AskedContext *context)
{
	StringInfoData text;
	ListCell   *lc;

	initStringInfo(&text);
	foreach(lc, query->rtable)
	{
		AskedContext part = {.params = context->params, .relations = context->relations};
		String	   *conditions;

		read_level(lfirst_node(RangeTblEntry, lc)->subquery, &part);
		context->relations = part.relations;
		conditions = join_conditions(part.conditions);
		if (conditions)
			appendStringInfo(&text, "%spart %d: %s", text.len > 0 ? "; " : "", foreach_current_index(lc) + 1,
							 strVal(conditions));
	}
	if (text.len > 0)
		context->conditions = lappend(context->conditions, text.data);
}

/* Find the relations and conditions of a block, or of a subquery in FROM. */
static void
read_level(Query *query, AskedContext *context)
{
	Query	   *above = context->query;
	Node	   *quals = without_true(dp_query_without_outer(query->jointree->quals));

	if (query->setOperations)
	{
		read_parts(query, context);
		return;
	}

	context->query = query;
	(void) from_walker((Node *) query->jointree->fromlist, context);
	if (quals)
		context->conditions = lappend(context->conditions, text_of(query, quals, context->params));
	context->query = above;
}

static String *
join_conditions(List *conditions)
{
	StringInfoData text;
	ListCell   *lc;

	if (conditions == NIL)
		return NULL;
	if (list_length(conditions) == 1)
		return cut(linitial(conditions), WHERE_BYTES);
	initStringInfo(&text);
	foreach(lc, conditions)
		appendStringInfo(&text, "%s(%s)", foreach_current_index(lc) > 0 ? " AND " : "", (char *) lfirst(lc));
	return cut(text.data, WHERE_BYTES);
}

List *
dp_query_asked(Query *block, ParamListInfo params)
{
	AskedContext context = {.params = params};
	const char *call = dp_query_running_call();
	List	   *keys = NIL;
	ListCell   *lc;

	if (call == NULL)
		call = dp_query_call_of(block);
	read_level(block, &context);
	foreach(lc, block->groupClause)
	{
		Node	   *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), block->targetList);

		keys = lappend(keys, cut(text_of(block, key, params), KEY_BYTES));
	}
	return list_make4(call ? cut(pstrdup(call), DP_CALL_SIZE) : NULL, context.relations, keys,
					  join_conditions(context.conditions));
}

static void
append_text(StringInfo json, const char *name, String *text)
{
	if (text == NULL)
		return;
	appendStringInfo(json, "\"%s\":", name);
	escape_json(json, strVal(text));
	appendStringInfoChar(json, ',');
}

static void
append_texts(StringInfo json, const char *name, const List *texts)
{
	ListCell   *lc;

	if (texts == NIL)
		return;
	appendStringInfo(json, "\"%s\":[", name);
	foreach(lc, texts)
	{
		if (foreach_current_index(lc) > 0)
			appendStringInfoChar(json, ',');
		escape_json(json, strVal(lfirst(lc)));
	}
	appendStringInfoString(json, "],");
}

void
dp_query_append_asked(StringInfo json, const List *asked)
{
	append_text(json, "call", list_nth(asked, ASKED_CALL));
	append_texts(json, "relations", list_nth(asked, ASKED_RELATIONS));
	append_texts(json, "keys", list_nth(asked, ASKED_KEYS));
	append_text(json, "where", list_nth(asked, ASKED_WHERE));
}

/* Append texts with commas between them. */
static void
list_texts(StringInfo text, const char *before, const List *texts)
{
	ListCell   *lc;

	foreach(lc, texts)
	{
		appendStringInfoString(text, foreach_current_index(lc) > 0 ? ", " : before);
		appendStringInfoString(text, strVal(lfirst(lc)));
	}
}

char *
dp_query_asked_text(const List *asked, const DpBlock *block)
{
	StringInfoData text;
	int			named = 0;

	if (list_nth(asked, ASKED_CALL))
		return strVal(list_nth(asked, ASKED_CALL));
	initStringInfo(&text);
	for (int i = 0; i < dp_query_block_priced(block) && named <= MOST_NAMED; i++)
	{
		if (i == block->selector && !block->selector_shown)
			continue;
		appendStringInfo(&text, "%s%s", named > 0 ? ", " : "SELECT ",
						 named < MOST_NAMED ? block->release[i].label : "...");
		named++;
	}
	list_texts(&text, " FROM ", list_nth(asked, ASKED_RELATIONS));
	if (list_nth(asked, ASKED_WHERE))
		appendStringInfo(&text, " WHERE %s", strVal(list_nth(asked, ASKED_WHERE)));
	list_texts(&text, " GROUP BY ", list_nth(asked, ASKED_KEYS));
	return text.data;
}
