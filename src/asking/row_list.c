/* SPDX-License-Identifier: PostgreSQL */
/*
 * row_list.c
 *	  Rows that IN looks up in a list of public rows.
 *
 *		WHERE (v.kind, v.day) IN (SELECT kind, day FROM offers)
 *
 * is
 *
 *		FROM visits v LEFT JOIN (SELECT kind AS k1, day AS k2 FROM offers GROUP BY kind, day) s
 *			ON v.kind = s.k1 AND v.day = s.k2
 *		WHERE s.k1 IS NOT NULL
 *
 * in which no row of visits is lost and none is there twice.  Where that is not true, it is NULL if
 * some row of the list is equal in some columns, and each of the others is NULL on one side at least;
 * else false.  For each choice of columns the list is joined once more, grouped by these alone.
 *
 * The lists are public items of FROM like those that are written there: read once, and joined
 * by what a join is bounded by.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "asking/correlated.h"
#include "asking/row_list.h"
#include "from/join_equality.h"
#include "from/public_query.h"
#include "from/pull_up.h"
#include "tree/make_nodes.h"

/* Most columns of which NULL and false are told apart: for n of them 2^n - 1 lists are joined. */
#define MOST_EXACT 3

/* A set of columns, by their places. */
typedef unsigned Columns;

typedef struct RowList
{
	const DpStand *stand;
	SubLink    *sublink;
	int			ncolumns;
	List	   *ties;			/* of DpTie, a column each: what is the list's own is in terms of
								 * a query from it */
	int			copies;
} RowList;

/* Looking for what may be another at each reading. */
typedef struct Search
{
	List	   *levels;			/* of Query: around, innermost first */
	int			depth;			/* of queries between these and the node */
} Search;

static bool
find_volatile(Node *node, Search *search)
{
	const RangeTblEntry *rte = (const RangeTblEntry *) node;
	CommonTableExpr *with;
	bool		found;
	int			place;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (IsA(node, Query))
	{
		search->depth++;
		found = contain_volatile_functions(node) ||
			query_tree_walker((Query *) node, find_volatile, search, QTW_EXAMINE_RTES_BEFORE);
		search->depth--;
		return found;
	}
	if (!IsA(node, RangeTblEntry))
		return expression_tree_walker(node, find_volatile, search);
	if (rte->rtekind != RTE_CTE || rte->self_reference || (int) rte->ctelevelsup < search->depth)
		return false;
	with = dp_from_find_with(rte, search->levels, search->depth, &place);
	return with == NULL || find_volatile(with->ctequery, &(Search) {.levels = list_copy_tail(search->levels, place)});
}

/* May a list be another each time it is read, by itself or a WITH query that it names? */
static bool
is_volatile(const RowList *list)
{
	return find_volatile(list->sublink->subselect, &(Search) {.levels = list->stand->levels});
}

/* SELECT FROM the list, with nothing selected yet. */
static Query *
select_from_list(RowList *list)
{
	Query	   *inner = copyObject(castNode(Query, list->sublink->subselect));
	Query	   *query;

	/* It stands one level deeper now. */
	IncrementVarSublevelsUp((Node *) inner, 1, 1);
	query = dp_tree_make_open_select_from(inner, "list");
	if (list->copies++ > 0)
		dp_from_count_references(query, list->stand->levels);
	return query;
}

/* Is a comparison equality of the list's values, whatever the session's settings? */
static bool
is_settled_equality(const DpTie *tie)
{
	return func_volatile(get_opcode(tie->operator->opno)) == PROVOLATILE_IMMUTABLE &&
		list_member_oid(get_mergejoin_opfamilies(tie->operator->opno), dp_tree_default_family(exprType(tie->own)));
}

/* Have a list's value be grouped by the collation that it is compared by. */
static void
collate(DpTie *tie)
{
	Oid			collation = tie->operator->inputcollid;

	if (OidIsValid(collation) && collation != exprCollation(tie->own))
		tie->own = (Node *) makeRelabelType((Expr *) tie->own, exprType(tie->own), exprTypmod(tie->own),
											collation, COERCE_IMPLICIT_CAST);
}

/* Read what is compared; false if it is not rows by equality. */
static bool
read_ties(RowList *list)
{
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, castNode(Query, list->sublink->subselect)->targetList)
		if (!lfirst_node(TargetEntry, lc)->resjunk)
			columns = lappend(columns, makeVarFromTargetEntry(1, lfirst(lc)));
	list->ties = dp_asking_ties_of_in(list->sublink, columns);
	list->ncolumns = list_length(list->ties);
	foreach(lc, list->ties)
	{
		DpTie	   *tie = lfirst(lc);

		if (!is_settled_equality(tie) || contain_vars_of_level(tie->own, 1))
			return false;
		collate(tie);
	}
	return list->ncolumns > 1;
}

static List *
ties_of(const RowList *list, Columns columns)
{
	List	   *ties = NIL;
	ListCell   *lc;

	foreach(lc, list->ties)
		if (columns & (1U << foreach_current_index(lc)))
			ties = lappend(ties, lfirst(lc));
	return ties;
}

/* Conditions that all these columns are NULL: of the list, or of the row that is looked up. */
static List *
are_null(const RowList *list, Columns columns, bool own)
{
	List	   *tests = NIL;
	ListCell   *lc;

	foreach(lc, ties_of(list, columns))
	{
		const DpTie *tie = lfirst(lc);
		NullTest   *test = makeNode(NullTest);

		test->arg = (Expr *) copyObject(own ? tie->own : tie->outer);
		test->nulltesttype = IS_NULL;
		test->location = -1;
		tests = lappend(tests, test);
	}
	return tests;
}

static Node *
all_of(List *conditions)
{
	if (conditions == NIL)
		return makeBoolConst(true, false);
	return list_length(conditions) == 1 ? linitial(conditions) : (Node *) makeBoolExpr(AND_EXPR, conditions, -1);
}

static Node *
any_of(List *conditions)
{
	return list_length(conditions) == 1 ? linitial(conditions) : (Node *) makeBoolExpr(OR_EXPR, conditions, -1);
}

/* Add whether any row of a group has NULL in all these columns; the column's number. */
static int
add_has_null(const RowList *list, Query *query, Columns columns)
{
	Aggref	   *any = dp_tree_make_count(all_of(are_null(list, columns, true)));

	any->aggfnoid = F_BOOL_OR;
	any->aggtype = BOOLOID;
	dp_tree_add_column(query, (Node *) any, psprintf("a%d", list_length(query->targetList) + 1));
	query->hasAggs = true;
	return list_length(query->targetList);
}

/* Enter the one row that says of a whole list what its columns hold. */
static DpJoined *
enter_summary(Query *query, Query *summary)
{
	DpJoined   *joined = palloc0(sizeof(DpJoined));
	RangeTblRef *ref = makeNode(RangeTblRef);

	query->rtable = lappend(query->rtable, dp_tree_make_open_item(summary, "list"));
	ref->rtindex = list_length(query->rtable);
	query->jointree->fromlist = lappend(query->jointree->fromlist, ref);
	joined->query = summary;
	joined->varno = ref->rtindex;
	return joined;
}

/* Join the list by these columns alone, grouped by them. */
static DpJoined *
join_by(RowList *list, Query *query, Columns columns)
{
	DpJoined   *joined;

	if (columns == 0)
		return enter_summary(list->stand->query, query);
	joined = dp_asking_enter_joined(list->stand->query, query);
	joined->condition = dp_asking_by_ties(joined, ties_of(list, columns));
	dp_asking_join_entered(list->stand->query, joined);
	return joined;
}

/*
 * Is there a row in the list that equals the one looked up in these columns, and of which no more is
 * known: one of both is NULL in each other column?
 */
static Node *
is_unknown(RowList *list, Columns equal)
{
	Columns		others = ((1U << list->ncolumns) - 1) & ~equal;
	Query	   *query = select_from_list(list);
	List	   *ways = NIL;
	List	   *numbers = NIL;
	DpJoined   *joined;
	ListCell   *lc;

	(void) dp_asking_group_by_ties(query, ties_of(list, equal));
	for (Columns null = 0; null <= others; null++)
		if ((null & ~others) == 0 && (null > 0 || equal == 0))
			numbers = lappend_int(numbers, add_has_null(list, query, null));
	joined = join_by(list, query, equal);
	lc = list_head(numbers);
	for (Columns null = 0; null <= others; null++)
	{
		List	   *both;

		if (null & ~others)
			continue;
		both = are_null(list, others & ~null, false);
		if (null > 0 || equal == 0)
		{
			both = lcons(dp_asking_joined_column(joined, lfirst_int(lc), equal > 0), both);
			lc = lnext(numbers, lc);
		}
		ways = lappend(ways, all_of(both));
	}
	return equal == 0 ? any_of(ways)
		: (Node *) makeBoolExpr(AND_EXPR, list_make2(dp_asking_was_joined(joined), any_of(ways)), -1);
}

/* Does the list have the row? */
static Node *
is_found(RowList *list)
{
	Query	   *query = select_from_list(list);

	if (!dp_asking_group_by_ties(query, list->ties))
		return NULL;
	return dp_asking_was_joined(join_by(list, query, (1U << list->ncolumns) - 1));
}

/* The value of IN. */
static Node *
value_of_in(const DpStand *stand, SubLink *sublink, bool exact)
{
	RowList		list = {.stand = stand, .sublink = sublink};
	List	   *unknown = NIL;
	CaseExpr   *cases;
	CaseWhen   *when;
	Node	   *found;

	if (!is_andclause(sublink->testexpr) ||
		dp_from_is_public_expression((Node *) sublink, stand->levels) ||
		!dp_from_is_public_expression(sublink->subselect, stand->levels) ||
		is_volatile(&list) || !read_ties(&list) ||
		(exact && list.ncolumns > MOST_EXACT) || list.ncolumns >= 32)
		return NULL;
	found = is_found(&list);
	if (found == NULL || !exact)
		return found;
	for (Columns equal = 0; equal < (1U << list.ncolumns) - 1; equal++)
		unknown = lappend(unknown, is_unknown(&list, equal));
	cases = (CaseExpr *) dp_tree_make_if(found, makeBoolConst(true, false));
	when = linitial_node(CaseWhen, ((CaseExpr *) dp_tree_make_if(any_of(unknown), (Node *) makeNullConst(BOOLOID, -1, InvalidOid)))->args);
	cases->args = lappend(cases->args, when);
	cases->defresult = (Expr *) makeBoolConst(false, false);
	return (Node *) cases;
}

/* `(a, b) <> ALL (subquery)` as the IN that it negates; NULL if it is anything else. */
static SubLink *
negated(SubLink *sublink)
{
	List	   *equalities = NIL;
	ListCell   *lc;

	if (!is_orclause(sublink->testexpr))
		return NULL;
	foreach(lc, ((BoolExpr *) sublink->testexpr)->args)
	{
		OpExpr	   *test = copyObject(lfirst(lc));

		if (!IsA(test, OpExpr) || !OidIsValid(get_negator(test->opno)))
			return NULL;
		test->opno = get_negator(test->opno);
		test->opfuncid = get_opcode(test->opno);
		equalities = lappend(equalities, test);
	}
	sublink = copyObject(sublink);
	sublink->subLinkType = ANY_SUBLINK;
	sublink->testexpr = (Node *) makeBoolExpr(AND_EXPR, equalities, -1);
	return sublink;
}

Node *
dp_asking_stand_for_row_list(const DpStand *stand, SubLink *sublink, bool exact)
{
	Node	   *value = NULL;

	if (sublink->subLinkType == ANY_SUBLINK)
		return value_of_in(stand, sublink, exact);
	if (sublink->subLinkType == ALL_SUBLINK)
		sublink = negated(sublink);
	else
		sublink = NULL;
	if (sublink)
		value = value_of_in(stand, sublink, true);
	return value ? (Node *) makeBoolExpr(NOT_EXPR, list_make1(value), -1) : NULL;
}
