/*
 * label.c
 *	  Expressions as the analyst wrote them.
 */
#include "postgres.h"

#include "catalog/heap.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "pricing/block.h"
#include "pricing/label.h"
#include "tree/public_params.h"
#include "tree/query_text.h"
#include "expression/fold_constants.h"

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

char *
dp_query_on_one_line(char *text)
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

/* How many levels an expression's node is of queries around the one it stands in; 0 if of none. */
static int
levels_up(Node *node)
{
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup;
	if (IsA(node, Aggref))
		return ((Aggref *) node)->agglevelsup;
	if (IsA(node, GroupingFunc))
		return ((GroupingFunc *) node)->agglevelsup;
	return 0;
}

/* Does an expression, nested so deep below a block, name what is outside of the block? */
static bool
names_outer(Node *node, int *depth)
{
	bool		found;

	if (node == NULL)
		return false;
	if (levels_up(node) > *depth)
		return true;
	if (!IsA(node, Query))
		return expression_tree_walker(node, names_outer, depth);
	(*depth)++;
	found = query_tree_walker((Query *) node, names_outer, depth, 0);
	(*depth)--;
	return found;
}

/* Have a parameter stand for each of those names. */
static Node *
hide_outer(Node *node, int *depth)
{
	Param	   *param;

	if (node == NULL)
		return NULL;
	if (levels_up(node) > *depth)
	{
		param = makeNode(Param);
		param->paramkind = PARAM_EXTERN;
		param->paramid = levels_up(node);
		param->paramtype = exprType(node);
		param->paramtypmod = exprTypmod(node);
		param->paramcollid = exprCollation(node);
		return (Node *) param;
	}
	if (!IsA(node, Query))
		return expression_tree_mutator(node, hide_outer, depth);
	(*depth)++;
	node = (Node *) query_tree_mutator((Query *) node, hide_outer, depth, 0);
	(*depth)--;
	return node;
}

Node *
dp_query_without_outer(Node *node)
{
	int			depth = 0;

	if (!names_outer(node, &depth))
		return node;
	if (!IsA(node, Query) && dp_query_foreign_code(node) == NULL)
		node = eval_const_expressions(NULL, node);
	return hide_outer(node, &depth);
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
select_list(Query *block, Node *expression, bool pretty)
{
	Query	   *query = makeNode(Query);
	Node	   *copy;
	int			varno = -1;

	expression = dp_query_without_outer(dp_query_show_public(expression));
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
	return strstr(dp_query_on_one_line(dp_query_as_text(query, pretty)), "SELECT ") + strlen("SELECT ");
}

char *
dp_query_text(Query *block, Node *expression)
{
	return select_list(block, expression, true);
}

void
dp_query_set_label(Query *block, Aggref *aggref, char *label)
{
	const char *text = select_list(block, (Node *) aggref, false);
	int			length = pg_mbcliplen(text, strlen(text), DP_LABEL_SIZE - 1);

	memcpy(label, text, length);
	label[length] = '\0';
}
