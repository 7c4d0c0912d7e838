/* SPDX-License-Identifier: PostgreSQL */
/*
 * unknown_keys.c
 *	  Constants that no key equals which is declared, or which a public table has.
 *
 *		SELECT count(*) FROM stays WHERE department = 'cardiology'
 *
 * is about nobody where the keys are 'Cardiology' and 'Oncology', and its answer is noise, which looks
 * like a small number.  What is said of it depends on the text, values of parameters and what owners declare
 * alone: keys are public.  They need not be all that the rows have, so that nothing is refused for that.
 * What public tables have is known once they are read: what there is to ask of them is handed on.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "expression/read_as.h"
#include "policy/domain.h"
#include "policy/policy.h"
#include "rewrite/finite_keys.h"
#include "rewrite/unknown_keys.h"
#include "tree/make_nodes.h"

/* Most constants that are looked for in public tables. */
#define MOST_LOOKED_FOR 20

/* Most comparisons of keys with constants: of longer lists nothing is said. */
#define MOST_COMPARISONS 1000000

typedef struct Search
{
	Query	   *query;			/* around the node */
	List	   *columns;		/* of String: names of those that something was said of */
	List	   *said;			/* see unknown_keys.h */
	int			comparisons;	/* of keys with constants */
	int			sought;			/* constants that are looked for in public tables */
} Search;

/* A column that is compared, and its keys. */
typedef struct Compared
{
	char	   *name;
	Datum	   *keys;
	int			nkeys;
	Node	   *of_public;		/* or the column of a public table that has them, in place of it, */
	Oid			table;			/* and that table; */
	bool		is_own;			/* is it that which is compared? */
	Oid			operator;		/* an equality */
	FmgrInfo	equality;
	Oid			collation;
	bool		is_left;		/* of the operator */
} Compared;

/* The table and column that a declaration refers to; false if there is none. */
static bool
find_reference(const DpDomain *domain, Oid *table, AttrNumber *number)
{
	Oid			schema = get_namespace_oid(domain->schema, true);

	*table = OidIsValid(schema) ? get_relname_relid(domain->table, schema) : InvalidOid;
	*number = OidIsValid(*table) ? get_attnum(*table, domain->column) : InvalidAttrNumber;
	return *number > 0;
}

/* Does a public table have the values of a column, be it its own or one that refers to it? */
static bool
is_of_public(const RangeTblEntry *rte, Node *expr, Compared *compared)
{
	Node	   *copy = copyObject(expr);
	Var		   *column = (Var *) dp_tree_without_casts(copy);
	AttrNumber	number = column->varattno;
	DpPolicy	policy;
	DpDomain	domain;

	if (rte->rtekind != RTE_RELATION || rte->relkind != RELKIND_RELATION || number <= 0)
		return false;
	compared->table = rte->relid;
	compared->is_own = !dp_policy_policy_get(rte->relid, &policy);
	if (!compared->is_own)
	{
		dp_policy_domain_get(rte->relid, number, &domain);
		if (domain.kind != DP_DOMAIN_REFERENCE || !find_reference(&domain, &compared->table, &number))
			return false;
	}
	*column = *makeVar(1, number, column->vartype, column->vartypmod, column->varcollid, 0);
	compared->of_public = copy;
	return true;
}

/*
 * Is it a column whose keys are declared or in a public table, of which nothing was said yet, compared by an equality
 * that is built in, or by its opposite?
 */
static bool
read_compared(Search *search, Node *expr, Oid operator, Oid collation, bool is_left, Compared *compared)
{
	Node	   *text = dp_expression_without_lower(expr);
	Var		   *column = (Var *) dp_tree_without_casts(text != expr && IsA(text, RelabelType) ?
													   (Node *) ((RelabelType *) text)->arg : expr);
	Oid			equality = strcmp(get_opname(operator), "<>") == 0 ? get_negator(operator) : operator;
	const RangeTblEntry *rte;
	ArrayType  *keys;
	int16		length;
	bool		byval;
	char		align;

	if (column == NULL || !IsA(column, Var) || column->varlevelsup > 0 || !OidIsValid(equality) ||
		equality >= FirstUnpinnedObjectId || strcmp(get_opname(equality), "=") != 0)
		return false;
	rte = rt_fetch(column->varno, search->query->rtable);
	keys = dp_rewrite_declared_keys(search->query, expr);
	*compared = (Compared) {.operator = equality, .collation = collation, .is_left = is_left};
	if (keys == NULL && (text != expr || !is_of_public(rte, expr, compared)))
		return false;
	compared->name = get_rte_attribute_name(unconstify(RangeTblEntry *, rte), column->varattno);
	if (list_member(search->columns, makeString(compared->name)))
		return false;
	if (keys == NULL)
		return true;
	get_typlenbyvalalign(ARR_ELEMTYPE(keys), &length, &byval, &align);
	deconstruct_array(keys, ARR_ELEMTYPE(keys), length, byval, align, &compared->keys, NULL, &compared->nkeys);
	fmgr_info(get_opcode(equality), &compared->equality);
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

/* What is said of a value that is none of a column's keys. */
static String *
message_of(const Compared *compared, const Const *value)
{
	const char *text = written(value->consttype, value->constvalue);

	if (compared->is_own)
		return makeString(psprintf("no value of column \"%s\" of \"%s\" equals \"%s\"", compared->name,
								   get_rel_name(compared->table), text));
	return makeString(psprintf("no declared key of column \"%s\" equals \"%s\"", compared->name, text));
}

/* Have a value be looked for in a public table. */
static void
seek(Search *search, const Compared *compared, Const *value)
{
	Expr	   *column = (Expr *) compared->of_public;
	Expr	   *constant = (Expr *) copyObject(value);
	Expr	   *condition = make_opclause(compared->operator, BOOLOID, false, compared->is_left ? column : constant,
										  compared->is_left ? constant : column, InvalidOid, compared->collation);

	if (++search->sought <= MOST_LOOKED_FOR)
		search->said = lappend(search->said, list_make4(makeString(compared->name), message_of(compared, value),
														list_make1_oid(compared->table), condition));
}

/* Say of a value, or of it in lower case, that it is none of a column's keys, if so. */
static void
look_at_value(Search *search, Compared *compared, Const *value, bool lowers)
{
	Datum		key = lowers ? DirectFunctionCall1Coll(lower, DEFAULT_COLLATION_OID, value->constvalue) : value->constvalue;

	CHECK_FOR_INTERRUPTS();
	if (compared->of_public)
		seek(search, compared, value);
	else if (!list_member(search->columns, makeString(compared->name)) && !is_known(search, compared, key))
	{
		search->columns = lappend(search->columns, makeString(compared->name));
		search->said = lappend(search->said, message_of(compared, value));
	}
}

/* The constant that an operand is, or that it has in lower case; NULL if it is none. */
static Const *
constant_of(Node *operand)
{
	Const	   *constant = (Const *) dp_expression_without_lower(operand);

	return IsA(constant, Const) && !constant->constisnull ? constant : NULL;
}

/* A comparison of a column with a constant. */
static void
look_at_operator(Search *search, const OpExpr *call)
{
	for (int i = 0; i < 2; i++)
	{
		Node	   *operand = list_nth(call->args, 1 - i);
		Const	   *constant = constant_of(operand);
		Compared	compared;

		if (constant && read_compared(search, list_nth(call->args, i), call->opno, call->inputcollid, i == 0, &compared))
			look_at_value(search, &compared, constant, (Node *) constant != operand);
	}
}

/* Each element of an array constant. */
static void
look_at_elements(Search *search, Compared *compared, const Const *list)
{
	Const	   *element = makeConst(get_element_type(list->consttype), -1, list->constcollid, 0, 0, false, false);
	ArrayIterator next = array_create_iterator(DatumGetArrayTypeP(list->constvalue), 0, NULL);

	element->constlen = get_typlen(element->consttype);
	element->constbyval = get_typbyval(element->consttype);
	while (array_iterate(next, &element->constvalue, &element->constisnull))
		if (!element->constisnull)
			look_at_value(search, compared, element, false);
}

/* IN and NOT IN: each element of a list. */
static void
look_at_list(Search *search, const ScalarArrayOpExpr *call)
{
	Node	   *list = lsecond(call->args);
	Compared	compared;
	ListCell   *lc;

	if (!(IsA(list, Const) && !((Const *) list)->constisnull) && !IsA(list, ArrayExpr))
		return;
	if (!read_compared(search, linitial(call->args), call->opno, call->inputcollid, true, &compared))
		return;
	if (IsA(list, Const))
		look_at_elements(search, &compared, (Const *) list);
	else
		foreach(lc, ((ArrayExpr *) list)->elements)
			if (constant_of(lfirst(lc)))
				look_at_value(search, &compared, constant_of(lfirst(lc)), (Node *) constant_of(lfirst(lc)) != lfirst(lc));
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
