/* SPDX-License-Identifier: PostgreSQL */
/*
 * split_rows.c
 *	  Rows made of the elements of a row's array, or of the parts of its text.
 *
 *		SELECT ... FROM posts p, unnest(string_to_array(p.tags, ',')) t (tag)
 *
 * is
 *
 *		SELECT ... FROM (SELECT p.*, dp_agg_internal.elements(string_to_array(p.tags, ','), false, most) AS tag
 *						   FROM posts p) p
 *
 * in which every row is made of one row of posts, and so of one unit.  The first `most` elements of a
 * row count, which no other row has a say in.  So neighbouring databases differ in the rows of one unit
 * after it as before it; how many of these count is bounded with the rest of that unit's (units/), and how
 * long they take by max_join_rows (exact/fan_out.c).
 *
 * What is split is a column of an array, as far as something may be asked of it, or an expression of type text by
 * a constant separator or regular expression.  These functions do not fail on what is admitted.  Their
 * time is limited by the length of what they split (exact/work_limit.c).
 * What is split in a select list is moved to FROM before (asking/move_splits.c).
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "base/compat_varlena.h"
#include "expression/allow_list.h"
#include "expression/fold_constants.h"
#include "expression/null_on_error.h"
#include "expression/read_as.h"
#include "expression/refusals.h"
#include "expression/regular.h"
#include "expression/validate.h"
#include "from/full_join.h"
#include "from/listed_keys.h"
#include "from/lowered_unit.h"
#include "from/nullable_columns.h"
#include "from/split_rows.h"
#include "from/united_subquery.h"
#include "tree/change_exprs.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

/* Longest separator, in bytes. */
#define MOST_SEPARATOR 255


/* An item that becomes a column of another. */
typedef struct Splitting
{
	Query	   *around;
	Index		item;
	Index		source;			/* whose rows are split */
	Query	   *rows;			/* the query that these become */
	int			depth;			/* of subqueries around what is walked */
	DpReason   *reason;
} Splitting;

/* The function that makes an array of what another makes rows of; itself if it makes an array; 0 of others. */
static Oid
array_function(Oid function)
{
	switch (function)
	{
		case F_STRING_TO_TABLE_TEXT_TEXT:
		case F_STRING_TO_ARRAY_TEXT_TEXT:
			return F_STRING_TO_ARRAY_TEXT_TEXT;
		case F_STRING_TO_TABLE_TEXT_TEXT_TEXT:
		case F_STRING_TO_ARRAY_TEXT_TEXT_TEXT:
			return F_STRING_TO_ARRAY_TEXT_TEXT_TEXT;
		case F_REGEXP_SPLIT_TO_TABLE_TEXT_TEXT:
		case F_REGEXP_SPLIT_TO_ARRAY_TEXT_TEXT:
			return F_REGEXP_SPLIT_TO_ARRAY_TEXT_TEXT;
		case F_REGEXP_SPLIT_TO_TABLE_TEXT_TEXT_TEXT:
		case F_REGEXP_SPLIT_TO_ARRAY_TEXT_TEXT_TEXT:
			return F_REGEXP_SPLIT_TO_ARRAY_TEXT_TEXT_TEXT;
		default:
			return InvalidOid;
	}
}

bool
dp_from_is_split(const Node *node)
{
	const FuncExpr *call = (const FuncExpr *) node;

	return node && IsA(call, FuncExpr) && call->funcretset &&
		(call->funcid == F_UNNEST_ANYARRAY || OidIsValid(array_function(call->funcid)));
}

/* The array whose elements are the rows that such a call makes. */
static Node *
array_of(const FuncExpr *call)
{
	FuncExpr   *array;

	if (call->funcid == F_UNNEST_ANYARRAY)
		return copyObject(linitial(call->args));
	array = makeFuncExpr(array_function(call->funcid), TEXTARRAYOID, copyObject(call->args), call->funccollid,
						 call->inputcollid, COERCE_EXPLICIT_CALL);
	array->location = call->location;
	return (Node *) array;
}

static const Oid types_of_elements[] = {ANYARRAYOID, BOOLOID, INT8OID};

/* dp_agg_internal.elements(array, keep, most), how many rows at most being set later */
static FuncExpr *
make_elements(const FuncExpr *split, bool keep)
{
	FuncExpr   *call = dp_tree_make_call("elements", types_of_elements, lengthof(types_of_elements),
										 list_make3(array_of(split), makeBoolConst(keep, false), dp_tree_make_int8(1)),
										 split->funcresulttype);

	call->funcretset = true;
	call->funccollid = split->funccollid;
	call->inputcollid = split->inputcollid;
	call->location = split->location;
	return call;
}

bool
dp_from_is_elements(const FuncExpr *call)
{
	return call->funcretset && call->funcid >= FirstNormalObjectId &&
		call->funcid == dp_tree_internal_function("elements", lengthof(types_of_elements), types_of_elements);
}

bool
dp_from_splits_rows(const Query *query)
{
	return query->hasTargetSRFs;
}

FuncExpr *
dp_from_splitting_call(const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
		if (expression_returns_set((Node *) lfirst_node(TargetEntry, lc)->expr))
			return castNode(FuncExpr, lfirst_node(TargetEntry, lc)->expr);
	elog(ERROR, "a query splits no rows");
}

/*
 * Where in a join tree an item stands: may an outer join put NULLs in its place?  Sets *join to the join that it
 * is the right side of, by itself.
 */
static bool
find_place(Node *node, Index varno, bool nullable, bool *found_nullable, JoinExpr **join)
{
	JoinExpr   *own = (JoinExpr *) node;
	ListCell   *lc;

	if (IsA(node, RangeTblRef))
	{
		*found_nullable = nullable;
		return ((RangeTblRef *) node)->rtindex == varno;
	}
	if (IsA(node, JoinExpr))
	{
		bool		left = own->jointype == JOIN_RIGHT || own->jointype == JOIN_FULL;
		bool		right = own->jointype == JOIN_LEFT || own->jointype == JOIN_FULL;

		if (find_place(own->larg, varno, nullable || left, found_nullable, join))
			return true;
		if (!find_place(own->rarg, varno, nullable || right, found_nullable, join))
			return false;
		if (join && *join == NULL && IsA(own->rarg, RangeTblRef) && !nullable)
			*join = own;
		return true;
	}
	foreach(lc, castNode(FromExpr, node)->fromlist)
		if (find_place(lfirst(lc), varno, nullable, found_nullable, join))
			return true;
	return false;
}

/* Is a condition that of ON true? */
static bool
is_true(const Node *quals)
{
	const Const *on = (const Const *) quals;

	return on == NULL || (IsA(on, Const) && !on->constisnull && DatumGetBool(on->constvalue));
}

/*
 * Have a LEFT JOIN with the item, on no condition, be an inner one: *keep is set, so that rows without elements stay.
 * A reason if another outer join may put NULLs in place of either item.
 */
static DpReason *
settle_join(Query *query, const Splitting *splitting, int location, bool *keep)
{
	bool		nullable = false;
	JoinExpr   *join = NULL;

	if (!find_place((Node *) query->jointree, splitting->source, false, &nullable, NULL) || nullable)
		return dp_tree_reason(location, "Split them in a subquery, and join that.",
							  "rows on the nullable side of an outer join cannot be split");
	if (!find_place((Node *) query->jointree, splitting->item, false, &nullable, &join) ||
		(nullable && (join == NULL || join->jointype != JOIN_LEFT || !is_true(join->quals))))
		return dp_tree_reason(location, "Write LEFT JOIN ... ON true, and conditions in WHERE; or JOIN ... ON the condition.",
							  "a condition in ON of a LEFT JOIN with parts of a row is not allowed");
	*keep = nullable;
	if (!nullable)
		return NULL;
	join->jointype = JOIN_INNER;
	if (join->rtindex > 0)
	{
		rt_fetch(join->rtindex, query->rtable)->jointype = JOIN_INNER;
		dp_from_forget_nulls_of(query, bms_make_singleton(join->rtindex));
	}
	return NULL;
}

/* The same expression without references to outputs of joins. */
static Node *
flatten(Node *node, Splitting *splitting)
{
	return dp_compat_flatten_joins(splitting->around, node);
}

/* The same expression over the column that the item becomes. */
static Node *
replace(Node *node, Splitting *splitting)
{
	const Var  *var = (const Var *) node;
	Var		   *column;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		Query	   *query;

		splitting->depth++;
		query = query_tree_mutator((Query *) node, replace, splitting, 0);
		splitting->depth--;
		return (Node *) query;
	}
	if (!IsA(var, Var) || var->varno != splitting->item || var->varlevelsup != splitting->depth)
		return expression_tree_mutator(node, replace, splitting);
	if (var->varattno != 1)
	{
		if (splitting->reason == NULL)
			splitting->reason = dp_expression_check_column(unconstify(Var *, var));
		return node;
	}
	column = makeVarFromTargetEntry(splitting->source, llast_node(TargetEntry, splitting->rows->targetList));
	column->varlevelsup = splitting->depth;
	column->location = var->location;
	dp_compat_set_nulled_like(column, var);
	return (Node *) column;
}

/* Change whatever refers to items of FROM in the query around. */
static void
change_around(Splitting *splitting, Node *(*change) (Node *node, Splitting *splitting))
{
	dp_tree_change_exprs(splitting->around, (DpChangeExpr) change, splitting);
	dp_tree_change_aliases(splitting->around, (DpChangeExpr) change, splitting);
}

/* Make the query of the rows that are split, which has all columns of them in their places. */
static void
make_rows(Splitting *splitting, FuncExpr *elements, const char *name)
{
	Query	   *around = splitting->around;
	RangeTblEntry *rte = rt_fetch(splitting->source, around->rtable);
	RangeTblRef *item = makeNode(RangeTblRef);
	Query	   *rows = dp_tree_make_select(NIL, makeFromExpr(list_make1(item), NULL));

	item->rtindex = 1;
	if (DP_HAS_PERMISSIONS(rte))
		rte = dp_compat_copy_entry(rows, around, rte);
	else
		rows->rtable = list_make1(rte = copyObject(rte));
	if (rte->rtekind == RTE_SUBQUERY)
		IncrementVarSublevelsUp((Node *) rte->subquery, 1, 1);
	for (int number = 1; number <= list_length(rte->eref->colnames); number++)
		dp_tree_add_column(rows, dp_from_column_of_item(rte, 1, number), strVal(list_nth(rte->eref->colnames, number - 1)));
	ChangeVarNodes((Node *) elements, splitting->source, 1, 0);
	IncrementVarSublevelsUp((Node *) elements, 1, 1);
	dp_tree_add_column(rows, (Node *) elements, name);
	rows->hasTargetSRFs = true;
	rows->hasSubLinks = checkExprHasSubLink((Node *) elements);
	rows->hasRowSecurity = around->hasRowSecurity;
	splitting->rows = rows;
	lfirst(list_nth_cell(around->rtable, splitting->source - 1)) = dp_tree_make_open_item(rows, rte->eref->aliasname);
}

/* Can the rows of this item be split: is it a protected table, or a subquery over one? */
static bool
may_be_split(Query *query, Index varno)
{
	RangeTblRef *item = makeNode(RangeTblRef);
	const RangeTblEntry *rte = rt_fetch(varno, query->rtable);

	item->rtindex = varno;
	return !rte->lateral && (rte->rtekind == RTE_RELATION || rte->rtekind == RTE_SUBQUERY) &&
		dp_from_reads_protected(query, (Node *) item);
}

/* The call that an item of FROM is, without references to outputs of joins, if it splits; or NULL. */
static FuncExpr *
split_of_item(Query *query, const RangeTblEntry *rte)
{
	const RangeTblFunction *function;

	if (rte->rtekind != RTE_FUNCTION || list_length(rte->functions) != 1 || rte->funcordinality)
		return NULL;
	function = linitial_node(RangeTblFunction, rte->functions);
	if (function->funccolnames != NIL || !dp_from_is_split(function->funcexpr))
		return NULL;
	return (FuncExpr *) dp_compat_flatten_joins(query, copyObject(function->funcexpr));
}

/* The items of FROM that an expression names columns of; not the joins that may put NULLs in their place. */
static Relids
items_named(Query *query, Node *expr)
{
	Relids		items = pull_varnos(NULL, expr);
	ListCell   *lc;

	foreach(lc, query->rtable)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_JOIN)
			items = bms_del_member(items, foreach_current_index(lc) + 1);
	return items;
}

DpReason *
dp_from_split_item(Query *query, Index varno, int location, Query **rows)
{
	Splitting	splitting = {.around = query, .item = varno};
	RangeTblEntry *rte = rt_fetch(varno, query->rtable);
	FuncExpr   *split = split_of_item(query, rte);
	Relids		sources = split ? items_named(query, (Node *) split) : NULL;
	bool		keep = false;
	int			source = -1;
	DpReason   *reason;

	*rows = NULL;
	if (bms_is_empty(sources) || (bms_get_singleton_member(sources, &source) && !may_be_split(query, source)))
		return NULL;
	if (split->location >= 0)
		location = split->location;
	if (bms_num_members(sources) > 1)
		return dp_tree_reason(location, "Compute what is split as a column of a subquery, and split that.",
							  "parts of a row cannot be made of columns of several items");
	splitting.source = source;
	reason = settle_join(query, &splitting, location, &keep);
	if (reason)
		return reason;
	change_around(&splitting, flatten);
	make_rows(&splitting, make_elements(split, keep), strVal(linitial(rte->eref->colnames)));
	change_around(&splitting, replace);
	*rows = splitting.rows;
	return splitting.reason;
}

/*
 * Validating.
 */

/* A call, of a function of two arguments, that is admitted, or a reason: its arguments. */
static List *
admit_like(Query *query, Oid function, Oid result, List *args, const FuncExpr *split, DpStatement *statement, DpReason **reason)
{
	FuncExpr   *call = makeFuncExpr(function, result, copyObject(args), InvalidOid, split->inputcollid, COERCE_EXPLICIT_CALL);

	call->location = split->location;
	call = (FuncExpr *) dp_expression_validate_expression(query, (Node *) call, statement, reason);
	if (*reason)
		return NIL;

	/* Nothing is left of a call of constants. */
	if (IsA(call, Const))
		return args;
	if (!IsA(call, FuncExpr))
		elog(ERROR, "unexpected node type: %d", (int) nodeTag(call));
	return OidIsValid(dp_expression_attempted((Node *) call)) ? list_copy_tail(call->args, 1) : call->args;
}

/* A constant of type text in place of an argument that guides how a text is split, or a reason. */
static Node *
admit_guide(Node *expr, const DpStatement *statement, DpReason **reason)
{
	Const	   *constant = dp_expression_constant(expr, statement->params);

	if (constant && (constant->constisnull || VARSIZE_ANY_EXHDR(DatumGetTextPP(constant->constvalue)) <= MOST_SEPARATOR))
		return (Node *) constant;
	*reason = dp_tree_reason(exprLocation(expr), psprintf("Write a constant of at most %d bytes.", MOST_SEPARATOR),
							 "what a text is split by must be a constant");
	return NULL;
}

/* How flags of a regular expression have it compare, or 0: of those, what matters where a text is split. */
static Oid
function_of_flags(const Const *flags)
{
	const char *given;

	if (flags == NULL)
		return F_TEXTREGEXEQ;
	if (flags->constisnull)
		return InvalidOid;
	given = TextDatumGetCString(flags->constvalue);
	return strcmp(given, "") == 0 || strcmp(given, "c") == 0 ? F_TEXTREGEXEQ
		: strcmp(given, "i") == 0 ? F_TEXTICREGEXEQ : InvalidOid;
}

/* Validate a text and the regular expression by which it is split. */
static void
admit_split_by_pattern(Query *query, FuncExpr *split, DpStatement *statement, DpReason **reason)
{
	Node	   *flags = list_length(split->args) > 2 ? admit_guide(lthird(split->args), statement, reason) : NULL;
	Node	   *pattern = *reason ? NULL : admit_guide(lsecond(split->args), statement, reason);
	Oid			like;
	List	   *args;

	if (*reason)
		return;
	like = function_of_flags((Const *) flags);
	if (!OidIsValid(like) || ((Const *) pattern)->constisnull ||
		!dp_expression_splits_evenly(DatumGetTextPP(((Const *) pattern)->constvalue)))
		*reason = dp_tree_reason(split->location,
								 "Write one character or set of characters, as in ',', '\\s+' or '\\s*[,;]\\s*', or several one after the other; of flags 'i' alone. Or use string_to_array.",
								 "a regular expression like this is not allowed where a text is split");
	if (*reason)
		return;
	args = admit_like(query, like, BOOLOID, list_make2(linitial(split->args), pattern), split, statement, reason);
	if (*reason == NULL)
		split->args = flags ? lappend(list_copy(args), flags) : args;
}

/* Validate a text and the separator by which it is split. */
static void
admit_split_by_separator(Query *query, FuncExpr *split, DpStatement *statement, DpReason **reason)
{
	List	   *args;
	ListCell   *lc;

	for_each_from(lc, split->args, 1)
	{
		Node	   *guide = *reason ? NULL : admit_guide(lfirst(lc), statement, reason);

		if (guide)
			lfirst(lc) = guide;
	}
	if (*reason)
		return;
	/* strpos() has the same collation to be fit for, and NULL is no separator to it. */
	args = admit_like(query, F_STRPOS, INT4OID,
					  list_make2(linitial(split->args), makeConst(TEXTOID, -1, split->inputcollid, -1, CStringGetTextDatum("x"), false, false)),
					  split, statement, reason);
	if (*reason == NULL)
		linitial(split->args) = linitial(args);
}

/* Validate an array that is a row's own. */
static Node *
admit_array(Query *query, Node *array, const FuncExpr *elements, DpStatement *statement, DpReason **reason)
{
	List	   *args = admit_like(query, F_CARDINALITY, INT4OID, list_make1(array), elements, statement, reason);

	return *reason ? NULL : linitial(args);
}

/* Validate what is split, in place. */
static DpReason *
admit_split(Query *query, FuncExpr *elements, DpStatement *statement)
{
	FuncExpr   *split = linitial(elements->args);
	DpReason   *reason = NULL;

	if (!IsA(split, FuncExpr) || !OidIsValid(array_function(split->funcid)))
	{
		linitial(elements->args) = admit_array(query, (Node *) split, elements, statement, &reason);
		return reason;
	}
	if (!DP_MAY_EXECUTE(split->funcid, GetUserId()))
		return dp_expression_check_permission((Node *) split, split->funcid);
	if (split->funcid == F_STRING_TO_ARRAY_TEXT_TEXT || split->funcid == F_STRING_TO_ARRAY_TEXT_TEXT_TEXT)
		admit_split_by_separator(query, split, statement, &reason);
	else
		admit_split_by_pattern(query, split, statement, &reason);
	return reason;
}

/*
 * Is it a column of a type that no expression has as its own, such as an array?  What stands around the query may ask
 * something of it as of the table's.
 */
static bool
is_handed_on(Node *expr)
{
	const Var  *var = (const Var *) expr;

	return IsA(var, Var) && var->varlevelsup == 0 && var->varattno > 0 &&
		!dp_expression_type_is_allowed(dp_expression_read_as(var->vartype, NULL));
}

/* Validate the columns but the one that splits; returns those that are the unit, one being added if none is. */
static Bitmapset *
admit_columns(Query *query, TargetEntry *split, DpStatement *statement, const DpContribution *contribution, DpReason **reason)
{
	List	   *all = query->targetList;
	Bitmapset  *units;
	ListCell   *lc;

	query->targetList = NIL;
	foreach(lc, all)
		if (lfirst(lc) != split && !is_handed_on((Node *) lfirst_node(TargetEntry, lc)->expr))
			query->targetList = lappend(query->targetList, lfirst(lc));
	units = dp_from_validate_part(query, statement, contribution, reason);
	query->targetList = all;
	if (*reason == NULL && bms_is_empty(units))
	{
		Var		   *unit = dp_tree_add_column(query, copyObject(linitial(contribution->units)), "unit");

		units = bms_make_singleton(unit->varattno);
	}
	return units;
}

DpReason *
dp_from_check_split(Query *query, Index varno, DpStatement *statement, int location, DpContribution *contribution)
{
	TargetEntry *target = llast_node(TargetEntry, query->targetList);
	DpFanOut   *fan_out = palloc0(sizeof(DpFanOut));
	DpReason   *reason = dp_from_refuse_lowered(contribution, location);
	Bitmapset  *units;

	if (reason)
		return reason;
	units = admit_columns(query, target, statement, contribution, &reason);
	if (reason == NULL)
		reason = admit_split(query, castNode(FuncExpr, target->expr), statement);
	if (reason)
		return reason;
	if (dp_from_max_join_rows(contribution) == 1)
		return dp_tree_reason(location, "SET dp_agg.max_join_rows to more: it is how many parts of a row count.",
							  "joining \"%s\" can multiply rows, and max_join_rows is 1", target->resname);
	fan_out->query = query;
	fan_out->varno = 1;
	fan_out->splits = target->resname;
	contribution->fan_outs = lappend(list_copy(contribution->fan_outs), fan_out);
	contribution->units = dp_from_columns_of_item(query, varno, units);
	contribution->grouped = lappend(contribution->grouped, query);
	contribution->row_is_unit = false;
	contribution->few_share = false;
	contribution->cut = true;
	return NULL;
}
