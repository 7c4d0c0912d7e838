/* SPDX-License-Identifier: PostgreSQL */
/*
 * asked.c
 *	  What a block asks, in words, for the ledger.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/heap.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "expression/fold_constants.h"
#include "pricing/asked.h"
#include "pricing/block.h"
#include "pricing/form_table.h"
#include "pricing/forms.h"
#include "tree/own_functions.h"
#include "tree/public_params.h"
#include "tree/query_text.h"

static Node *without_outer(Node *node);
static char *on_one_line(char *text);

/*
 * Expressions as the analyst wrote them.
 */

/* A column, but for the name that it has outside a join with a name of its own. */
static Node *
strip_join_name(const Var *var)
{
	Var		   *copy = copyObject(unconstify(Var *, var));

	copy->varnosyn = 0;
	copy->varattnosyn = 0;
	return (Node *) copy;
}

/* Leave out the casts the parser added, and the names of joins. */
static Node *
strip_implicit_casts(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return strip_join_name((Var *) node);
	if (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcformat == COERCE_IMPLICIT_CAST)
		return strip_implicit_casts(linitial(((FuncExpr *) node)->args), context);
	if (IsA(node, RelabelType) && ((RelabelType *) node)->relabelformat == COERCE_IMPLICIT_CAST)
		return strip_implicit_casts((Node *) ((RelabelType *) node)->arg, context);
	return expression_tree_mutator(node, strip_implicit_casts, context);
}

/* A range table entry that has nothing but the names of another. */
static RangeTblEntry *
names_only(RangeTblEntry *rte)
{
	RangeTblEntry *names = makeNode(RangeTblEntry);

	names->rtekind = RTE_VALUES;
	names->eref = copyObject(rte->eref);
	names->alias = makeAlias(rte->eref->aliasname, NIL);
	names->inFromCl = true;
	return names;
}

/* An entry that makes columns of the others bear their table's name. */
static RangeTblEntry *
no_names(void)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);

	rte->eref = makeAlias("", NIL);
	return names_only(rte);
}

/* Does a query read more than one item? */
static bool
has_several_items(const Query *query)
{
	return query && query->jointree->fromlist != NIL &&
		(list_length(query->jointree->fromlist) > 1 || IsA(linitial(query->jointree->fromlist), JoinExpr));
}

/* Have what is written over several lines be one, in place. */
static char *
on_one_line(char *text)
{
	char	   *end = text;

	for (const char *from = text; *from; from++)
	{
		bool		ends_line = *from == '\n';

		*end++ = ends_line ? ' ' : *from;
		while (ends_line && from[1] == ' ')
			from++;
	}
	*end = '\0';
	return text;
}

/*
 * An expression of a block, or a query in it, that names nothing of the queries around the block, to be shown.
 * What is released depends on no such name, so they are in what folds away; the analyst's own words go with
 * that.  A parameter stands for a name that is left.
 */
static Node *
without_outer(Node *node)
{
	if (!dp_tree_names_outer(node, 0))
		return node;
	if (!IsA(node, Query) && dp_expression_foreign_code(node) == NULL)
		node = eval_const_expressions(NULL, node);
	return dp_tree_hide_outer(node, 0);
}

/* Entries of names alone, and how deep below the block an expression's node stands. */
typedef struct NamesContext
{
	List	   *rtable;
	int			depth;
} NamesContext;

/* Have a system column be one of the columns of its entry, which has no other. */
static void
name_system_column(Var *var, const NamesContext *context)
{
	Alias	   *names = rt_fetch(var->varno, context->rtable)->eref;
	String	   *name = makeString(pstrdup(NameStr(SystemAttributeDefinition(var->varattno)->attname)));

	if (!list_member(names->colnames, name))
		names->colnames = lappend(names->colnames, name);
	for (var->varattno = 1; !equal(list_nth(names->colnames, var->varattno - 1), name);)
		var->varattno++;
	var->varnosyn = 0;
	var->varattnosyn = 0;
}

/* The same for all of an expression that is the caller's own; such columns may be in what folds away before it is validated. */
static bool
name_system_columns(Node *node, NamesContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == context->depth && ((Var *) node)->varattno < 0)
		name_system_column((Var *) node, context);
	if (!IsA(node, Query))
		return expression_tree_walker(node, name_system_columns, context);
	context->depth++;
	(void) query_tree_walker((Query *) node, name_system_columns, context, 0);
	context->depth--;
	return false;
}

/* An expression of a block as a select list; with few parentheses if so asked. */
static char *
select_list(const DpPublicReads *reads, Query *block, Node *expression, bool pretty)
{
	Query	   *query = makeNode(Query);
	Node	   *copy;
	int			varno = -1;

	expression = without_outer(dp_tree_show_public(reads, expression));
	copy = strip_implicit_casts(expression, NULL);

	query->commandType = CMD_SELECT;
	query->jointree = makeFromExpr(NIL, NULL);
	while ((varno = bms_next_member(pull_varnos(NULL, expression), varno)) >= 0)
	{
		query->rtable = lappend(query->rtable, names_only(rt_fetch(varno, block->rtable)));
		ChangeVarNodes(copy, varno, list_length(query->rtable), 0);
	}
	(void) name_system_columns(copy, &(NamesContext) {.rtable = query->rtable});
	if (pretty && query->rtable != NIL && has_several_items(block))
		query->rtable = lappend(query->rtable, no_names());
	query->targetList = list_make1(makeTargetEntry((Expr *) copy, 1, NULL, false));
	return strstr(on_one_line(dp_tree_as_text(query, pretty)), "SELECT ") + strlen("SELECT ");
}

char *
dp_pricing_text(const DpPublicReads *reads, Query *block, Node *expression)
{
	return select_list(reads, block, expression, true);
}

/*
 * The CASE that stands for FILTER in what an aggregate is over (aggregate.c), or NULL.  One of a view has no location
 * either: it means the same if it is NULL where its one condition is not met.
 */
static CaseExpr *
folded_filter(const Aggref *aggref)
{
	Node	   *value = aggref->args ? (Node *) linitial_node(TargetEntry, aggref->args)->expr : NULL;
	CaseExpr   *folded;

	while (value && IsA(value, FuncExpr) && ((FuncExpr *) value)->funcformat == COERCE_IMPLICIT_CAST)
		value = linitial(((FuncExpr *) value)->args);
	if (value == NULL || !IsA(value, CaseExpr))
		return NULL;
	folded = (CaseExpr *) value;
	if (folded->arg || list_length(folded->args) != 1 || linitial_node(CaseWhen, folded->args)->location >= 0 ||
		folded->defresult == NULL || !IsA(folded->defresult, Const) || !((Const *) folded->defresult)->constisnull)
		return NULL;
	return folded;
}

/* An aggregate with the FILTER that it was written with. */
static Aggref *
with_filter(Aggref *aggref)
{
	Aggref	   *written = copyObject(aggref);
	CaseExpr   *folded = folded_filter(written);
	CaseWhen   *when = folded ? linitial_node(CaseWhen, folded->args) : NULL;

	if (when == NULL)
		return aggref;
	written->aggfilter = when->expr;
	linitial_node(TargetEntry, written->args)->expr = when->result;
	if (aggref->aggfnoid == dp_tree_count_function(1) && IsA(when->result, Const) && ((Const *) when->result)->location < 0)
	{
		written->aggfnoid = dp_tree_count_function(0);
		written->aggstar = true;
		written->args = NIL;
		written->aggargtypes = NIL;
	}
	return written;
}

void
dp_pricing_set_label(const DpStatement *statement, Query *block, Aggref *aggref, char *label)
{
	const char *text = select_list(&statement->reads, block, (Node *) with_filter(aggref), false);
	int			length = pg_mbcliplen(text, strlen(text), DP_LABEL_SIZE - 1);

	memcpy(label, text, length);
	label[length] = '\0';
}

/* Longest text of a key, and of all conditions. */
#define KEY_BYTES 512
#define WHERE_BYTES 2048

/* Most aggregates that are named in one text. */
#define MOST_NAMED 20

/* Parts of the list, each NULL or NIL if there is none. */
enum
{
	ASKED_CALL,
	ASKED_RELATIONS,
	ASKED_KEYS,
	ASKED_WHERE
};

/* Parts found in a block's levels. */
typedef struct AskedContext
{
	Query	   *query;			/* the level */
	const DpStatement *statement;
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
text_of(Query *block, Node *expression, const DpStatement *statement)
{
	return dp_pricing_text(&statement->reads, block, dp_expression_bind(expression, statement->params));
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
		char	   *public = dp_tree_public_item_text(&context->statement->reads, rte);

		if (rte->rtekind == RTE_RELATION)
			context->relations = list_append_unique(context->relations, makeString(name_of(rte->relid)));
		else if (public)
			context->relations = lappend(context->relations, cut(on_one_line(public), KEY_BYTES));
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
		AskedContext part = {.statement = context->statement, .relations = context->relations};
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
	Node	   *quals = without_true(without_outer(query->jointree->quals));

	if (query->setOperations)
	{
		read_parts(query, context);
		return;
	}

	context->query = query;
	(void) from_walker((Node *) query->jointree->fromlist, context);
	if (quals)
		context->conditions = lappend(context->conditions, text_of(query, quals, context->statement));
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
dp_pricing_asked(Query *block, const DpStatement *statement)
{
	AskedContext context = {.statement = statement};
	const char *call = statement->call;
	List	   *keys = NIL;
	ListCell   *lc;

	if (call == NULL)
		call = dp_pricing_call_of(block);
	read_level(block, &context);
	foreach(lc, block->groupClause)
	{
		Node	   *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), block->targetList);

		keys = lappend(keys, cut(text_of(block, key, statement), KEY_BYTES));
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
dp_pricing_append_asked(StringInfo json, const List *asked)
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
dp_pricing_asked_text(const List *asked, const DpBlock *block)
{
	StringInfoData text;
	int			named = 0;

	if (list_nth(asked, ASKED_CALL))
		return strVal(list_nth(asked, ASKED_CALL));
	initStringInfo(&text);
	for (int i = 0; i < dp_pricing_block_priced(block) && named <= MOST_NAMED; i++)
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
