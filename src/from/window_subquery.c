/* SPDX-License-Identifier: PostgreSQL */
/*
 * window_subquery.c
 *	  Subqueries in FROM with window functions over rows of single units.
 *
 *		SELECT person, day, row_number() OVER (PARTITION BY person ORDER BY day) AS n FROM visits
 *
 * Every window is partitioned by the privacy unit, and perhaps by more.  So what a row gets
 * is made of rows of one unit alone, and neighbouring databases differ in the rows of one
 * unit after it as before it.
 *
 * That holds only if nothing else can change these rows.  A sort leaves rows that are alike
 * by ORDER BY in an order that depends on the plan, and so on everybody's rows.  Therefore
 *
 * - the columns of FROM that a query makes anything of are brought into one form, in which
 *   values that are equal are identical (canonical_key.c);
 * - a window whose functions depend on the order of such rows sorts by all of these columns
 *   besides: rows that are still alike are the same in everything that is made of them,
 *   and may change places;
 * - of a query's windows one at most depends on it.  With two, identical rows could
 *   come in one order in the one and in another order in the other.  So a query's rows
 *   are a function of the set of rows, with duplicates, that it reads: a further window
 *   is computed by a query around it (split_windows.c), of which the same is true.
 * - Other functions do not tell rows apart that are alike by ORDER BY: ranks, and exact
 *   aggregates over frames that have all of these or none.
 *
 * A function may neither fail nor cost more than rows are worth: numbers that guide it
 * are constants, and frames that are computed anew for each row are short.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "expression/allow_list.h"
#include "expression/canonical_key.h"
#include "expression/fold_constants.h"
#include "expression/read_as.h"
#include "expression/refusals.h"
#include "expression/validate.h"
#include "from/dependent_columns.h"
#include "from/grouped_subquery.h"
#include "from/key_closure.h"
#include "from/set_operations.h"
#include "from/united_subquery.h"
#include "from/window_kind.h"
#include "from/window_subquery.h"
#include "tree/make_nodes.h"
#include "tree/named_columns.h"

/* A query that is validated. */
typedef struct Check
{
	Query	   *query;
	DpStatement *statement;
	int			location;
	Bitmapset  *units;			/* numbers of the columns that are the unit */
	DpReason   *reason;
} Check;

bool
dp_from_is_windowed(const Query *query)
{
	return query->windowClause != NIL;
}

int
dp_from_window_location(const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		const WindowFunc *call = (const WindowFunc *) lfirst_node(TargetEntry, lc)->expr;

		if (IsA(call, WindowFunc) && call->location >= 0)
			return call->location;
	}
	return -1;
}

/* The windows that some function of the query is over. */
static Bitmapset *
windows_used(const Query *query)
{
	Bitmapset  *used = NULL;
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		Node	   *expr = (Node *) lfirst_node(TargetEntry, lc)->expr;

		if (IsA(expr, WindowFunc))
			used = bms_add_member(used, ((WindowFunc *) expr)->winref);
	}
	return used;
}

/* Add what these clauses sort by to a set of sort references. */
static Bitmapset *
add_references(Bitmapset *references, List *clauses)
{
	ListCell   *lc;

	foreach(lc, clauses)
		references = bms_add_member(references, lfirst_node(SortGroupClause, lc)->tleSortGroupRef);
	return references;
}

static void
forget_column(TargetEntry *target)
{
	Node	   *expr = (Node *) target->expr;

	target->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr));
	target->ressortgroupref = 0;
}

/* Is it a column that a query below partitions a window by, at any depth? */
static bool
is_partition_below(Query *query, Node *expr)
{
	const Var  *var = (const Var *) expr;
	RangeTblEntry *rte;
	TargetEntry *target;
	ListCell   *lc;

	if (!IsA(expr, Var) || var->varlevelsup > 0)
		return false;
	rte = rt_fetch(var->varno, query->rtable);
	if (rte->rtekind != RTE_SUBQUERY || !dp_from_is_windowed(rte->subquery))
		return false;
	target = get_tle_by_resno(rte->subquery->targetList, var->varattno);
	foreach(lc, rte->subquery->windowClause)
		if (bms_is_member(target->ressortgroupref,
						  add_references(NULL, lfirst_node(WindowClause, lc)->partitionClause)))
			return true;
	return is_partition_below(rte->subquery, (Node *) target->expr);
}

/*
 * What partitions a window stays, even if that is gone: it names the unit.
 */
void
dp_from_drop_unread(Query *query, Query *outer, Index varno)
{
	Bitmapset  *read = dp_from_columns_read(outer, varno);
	Bitmapset  *sorted = NULL;
	Bitmapset  *used;
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (IsA(target->expr, WindowFunc) && !bms_is_member(target->resno, read))
			forget_column(target);
	}
	used = windows_used(query);
	query->hasWindowFuncs = used != NULL;
	foreach(lc, query->windowClause)
	{
		WindowClause *window = lfirst_node(WindowClause, lc);

		sorted = add_references(sorted, window->partitionClause);
		if (bms_is_member(window->winref, used))
			sorted = add_references(sorted, window->orderClause);
		else
			window->orderClause = NIL;
	}
	foreach(lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (!IsA(target->expr, WindowFunc) && !bms_is_member(target->resno, read) &&
			!bms_is_member(target->ressortgroupref, sorted) &&
			!is_partition_below(query, (Node *) target->expr))
			forget_column(target);
	}
}

/* A constant whole number of at least so much in place of an expression, or a reason. */
static Node *
read_number(Check *check, Node *expr, int64 least, int location)
{
	Const	   *constant = dp_expression_constant(expr, check->statement->params);
	int64		value = 0;

	if (constant && !constant->constisnull)
		value = constant->consttype == INT8OID ? DatumGetInt64(constant->constvalue)
			: constant->consttype == INT4OID ? DatumGetInt32(constant->constvalue)
			: constant->consttype == INT2OID ? DatumGetInt16(constant->constvalue) : least - 1;
	if (constant && !constant->constisnull && value >= least && value <= PG_INT32_MAX)
		return (Node *) constant;
	check->reason = dp_tree_reason(exprLocation(expr) >= 0 ? exprLocation(expr) : location,
								   psprintf("Write a constant whole number from " INT64_FORMAT " on.", least),
								   "this number must be constant in a window " DP_IN_SUBSELECT);
	return expr;
}

/* Is it a column, or one of a domain or of citext as what it is read as? */
static bool
is_column(Node *node)
{
	Node	   *arg = IsA(node, RelabelType) ? (Node *) ((RelabelType *) node)->arg : node;

	return IsA(arg, Var) && (arg == node || dp_expression_read_as(exprType(arg), NULL) != exprType(arg));
}

/* Columns of FROM in a validated expression, each in its canonical form. */
static Node *
canonical_mutator(Node *node, Check *check)
{
	DpReason   *reason = NULL;
	Node	   *canonical;

	if (node == NULL || check->reason)
		return node;
	if (!is_column(node))
		return expression_tree_mutator(node, canonical_mutator, check);
	canonical = dp_expression_canonical_key(node, &reason);
	if (reason == NULL && dp_expression_type_is_groupable(exprType(canonical)))
		return canonical;
	check->reason = dp_tree_reason(exprLocation(node), "Leave it out of that subquery.",
								   "a column of this type is not allowed beside window functions");
	return node;
}

/* An expression as it may stand there; as it is, where there is a reason why not. */
static Node *
validate(Check *check, Node *expr)
{
	Node	   *admitted;

	if (check->reason)
		return expr;
	admitted = dp_expression_validate_expression(check->query, expr, check->statement, &check->reason);
	return check->reason ? expr : canonical_mutator(admitted, check);
}

/* An aggregate, by the same rules as in a subquery that groups. */
static void
validate_aggregate(Check *check, WindowFunc *call)
{
	Aggref	   *aggref = makeNode(Aggref);
	ListCell   *lc;

	aggref->aggfnoid = call->winfnoid;
	aggref->aggtype = call->wintype;
	aggref->location = call->location;
	aggref->aggfilter = call->aggfilter;
	foreach(lc, call->args)
		aggref->args = lappend(aggref->args, makeTargetEntry(lfirst(lc), foreach_current_index(lc) + 1, NULL, false));
	check->reason = dp_from_validate_aggregate(check->query, aggref, check->statement);
	call->aggfilter = (Expr *) canonical_mutator((Node *) aggref->aggfilter, check);
	call->args = NIL;
	foreach(lc, aggref->args)
		call->args = lappend(call->args, canonical_mutator((Node *) lfirst_node(TargetEntry, lc)->expr, check));
}

/* Refuse a function that is none of those known to be total. */
static void
refuse_function(Check *check, const WindowFunc *call)
{
	check->reason = dp_tree_reason(call->location,
								   "row_number, rank, dense_rank, percent_rank, cume_dist, ntile, lag, lead, first_value, last_value, nth_value and the aggregates of subqueries that group are allowed.",
								   "window function %s is not allowed " DP_IN_SUBSELECT,
								   get_func_name(call->winfnoid));
}

/* A function of the window's own: its arguments are values of rows, and numbers. */
static void
validate_function(Check *check, WindowFunc *call)
{
	ListCell   *lc;

	switch (call->winfnoid)
	{
		case F_ROW_NUMBER:
		case F_RANK_:
		case F_DENSE_RANK_:
		case F_PERCENT_RANK_:
		case F_CUME_DIST_:
		case F_LAG_ANYELEMENT:
		case F_LEAD_ANYELEMENT:
		case F_FIRST_VALUE:
		case F_LAST_VALUE:
			break;
		case F_NTILE:
			linitial(call->args) = read_number(check, linitial(call->args), 1, call->location);
			return;
		case F_NTH_VALUE:
			lsecond(call->args) = read_number(check, lsecond(call->args), 1, call->location);
			break;
		case F_LAG_ANYELEMENT_INT4:
		case F_LEAD_ANYELEMENT_INT4:
		case F_LAG_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
		case F_LEAD_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
			lsecond(call->args) = read_number(check, lsecond(call->args), 0, call->location);
			break;
		default:
			refuse_function(check, call);
			return;
	}
	foreach(lc, call->args)
		if (foreach_current_index(lc) != 1)
			lfirst(lc) = validate(check, lfirst(lc));
}

static WindowClause *
window_of(const Check *check, const WindowFunc *call)
{
	WindowClause *window = list_nth_node(WindowClause, check->query->windowClause, call->winref - 1);

	Assert(window->winref == call->winref);
	return window;
}

/* Can an aggregate give back what leaves its frame? */
static bool
gives_back(const WindowFunc *call)
{
	switch (call->winfnoid)
	{
		case F_COUNT_:
		case F_COUNT_ANY:
		case F_SUM_INT2:
		case F_SUM_INT4:
		case F_SUM_INT8:
		case F_AVG_INT2:
		case F_AVG_INT4:
		case F_AVG_INT8:
		case F_BOOL_AND:
		case F_BOOL_OR:
		case F_EVERY:
			return true;
		default:
			return false;
	}
}

/* Is a frame one of few rows, or one that only grows from row to row? */
static bool
is_cheap(const WindowFunc *call, const WindowClause *window)
{
	if (!call->winagg || (window->frameOptions & FRAMEOPTION_START_UNBOUNDED_PRECEDING) || gives_back(call))
		return true;
	return (get_typlen(call->wintype) > 0 || call->wintype == NUMERICOID) && dp_from_frame_rows(window) > 0;
}

static void
refuse_frame(Check *check, const WindowFunc *call)
{
	if (check->reason == NULL)
		check->reason = dp_tree_reason(call->location,
									   psprintf("Have it begin at UNBOUNDED PRECEDING, or be of %d ROWS at most, without EXCLUDE; RANGE with a number is for integers.", DP_MOST_FRAME_ROWS),
									   "this frame is not allowed " DP_IN_SUBSELECT);
}

static void
validate_call(Check *check, WindowFunc *call)
{
	WindowClause *window = window_of(check, call);

	if (call->winfnoid >= FirstUnpinnedObjectId)
		refuse_function(check, call);
	else if (dp_compat_treats_nulls(call))
		check->reason = dp_tree_reason(call->location, "Leave it out, or leave rows with NULL out by WHERE.",
									   "IGNORE NULLS and RESPECT NULLS are not allowed " DP_IN_SUBSELECT);
	else if (!DP_MAY_EXECUTE(call->winfnoid, GetUserId()))
		check->reason = dp_expression_check_permission((Node *) call, call->winfnoid);
	else if (call->winagg)
		validate_aggregate(check, call);
	else
		validate_function(check, call);
	if (check->reason == NULL)
		check->reason = dp_expression_check_type(call->wintype, (Node *) call);
	if (check->reason == NULL && !is_cheap(call, window))
		refuse_frame(check, call);
}

/* Is what a window sorts by of a type that an offset can be added to without an error? */
static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

static Oid
order_type(const Check *check, const WindowClause *window)
{
	return exprType(get_sortgroupclause_expr(linitial(window->orderClause), check->query->targetList));
}

/* Frames: their ends are constants, and nothing is left out in the middle. */
static void
validate_frame(Check *check, WindowClause *window, const WindowFunc *call)
{
	Node	  **ends[] = {&window->startOffset, &window->endOffset};

	if (window->frameOptions & FRAMEOPTION_EXCLUSION)
		refuse_frame(check, call);
	for (int i = 0; i < lengthof(ends); i++)
	{
		if (*ends[i] == NULL || check->reason)
			continue;
		if ((window->frameOptions & FRAMEOPTION_RANGE) &&
			(!is_integer(exprType(*ends[i])) || !is_integer(order_type(check, window))))
			refuse_frame(check, call);
		else
			*ends[i] = read_number(check, *ends[i], 0, call->location);
	}
}

/*
 * Columns by which a window sorts and partitions: validated, of types with a
 * built-in order.
 */
static void
validate_order(Check *check, List *clauses)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		const SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node	   *key = get_sortgroupclause_expr(unconstify(SortGroupClause *, clause), check->query->targetList);

		if (check->reason == NULL &&
			(!dp_expression_type_is_groupable(exprType(key)) || clause->eqop >= FirstUnpinnedObjectId ||
			 clause->sortop >= FirstUnpinnedObjectId || !OidIsValid(clause->sortop)))
			check->reason = dp_tree_reason(exprLocation(key) >= 0 ? exprLocation(key) : check->location,
										   "Leave it out of that subquery.",
										   "a column of this type is not allowed beside window functions");
	}
}

/* Is a window partitioned by a column that is the unit? */
static bool
is_by_unit(const Check *check, const WindowClause *window)
{
	ListCell   *lc;

	foreach(lc, window->partitionClause)
		if (bms_is_member(get_sortgroupclause_tle(lfirst_node(SortGroupClause, lc), check->query->targetList)->resno,
						  check->units))
			return true;
	return false;
}

static void
refuse_partition(Check *check, int location)
{
	if (check->reason == NULL && location == DP_QUERY_NUMBERED_ALIKE)
		check->reason = dp_from_without_common_unit(check->location);
	if (check->reason == NULL)
		check->reason = dp_tree_reason(location >= 0 ? location : check->location,
									   "PARTITION BY the privacy unit, and by what else there is, or name it in DISTINCT ON; dp_agg.protected_tables shows which column that is. To rank units among all, compare with a quantile, n > (SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY n) FROM ...).",
									   "a window that is not partitioned by the privacy unit is not allowed " DP_IN_SUBSELECT);
}

/* Validate every column, and note those that are the unit. */
static void
validate_columns(Check *check, const DpContribution *contribution)
{
	ListCell   *lc;

	foreach(lc, check->query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (IsA(target->expr, WindowFunc))
			continue;
		if (dp_from_is_unit((Node *) target->expr, contribution))
			check->units = bms_add_member(check->units, target->resno);
		if (IsA(target->expr, Const) && ((Const *) target->expr)->constisnull)
			continue;
		target->expr = (Expr *) validate(check, (Node *) target->expr);

		/* What is refused leaves nothing to look at. */
		if (check->reason)
			return;
	}
	foreach(lc, check->query->targetList)
	{
		Node	   *expr = (Node *) lfirst_node(TargetEntry, lc)->expr;

		if (IsA(expr, WindowFunc) && check->reason == NULL)
		{
			validate_frame(check, window_of(check, (WindowFunc *) expr), (WindowFunc *) expr);
			if (check->reason == NULL)
				validate_call(check, (WindowFunc *) expr);
		}
	}
}

/* Every window that is used is of one unit's rows, in an order that is built in. */
static void
check_windows(Check *check)
{
	ListCell   *lc;

	foreach(lc, check->query->targetList)
	{
		WindowFunc *call = (WindowFunc *) lfirst_node(TargetEntry, lc)->expr;
		WindowClause *window;

		if (!IsA(call, WindowFunc))
			continue;
		window = window_of(check, call);
		if (!is_by_unit(check, window))
			refuse_partition(check, call->location);
		validate_order(check, window->partitionClause);
		validate_order(check, window->orderClause);
	}
}

static int
compare_columns(const ListCell *left, const ListCell *right)
{
	const Var  *a = lfirst_node(Var, left);
	const Var  *b = lfirst_node(Var, right);

	return a->varno != b->varno ? (a->varno > b->varno) - (a->varno < b->varno)
		: a->varattno - b->varattno;
}

/* The columns of FROM that the query makes anything of, each once. */
static List *
columns_used(Query *query)
{
	List	   *used = NIL;
	ListCell   *lc;

	foreach(lc, dp_tree_named_columns((Node *) query->targetList))
		used = list_append_unique(used, castNode(Var, lfirst(lc)));
	list_sort(used, compare_columns);
	return used;
}

/* Have a window sort by these columns last, so that rows which are still alike are identical. */
static void
sort_by_all(Check *check, WindowClause *window, List *columns)
{
	Bitmapset  *sorted = add_references(add_references(NULL, window->partitionClause), window->orderClause);
	ListCell   *lc;

	foreach(lc, columns)
	{
		Node	   *column = canonical_mutator(copyObject(lfirst(lc)), check);
		TargetEntry *target = dp_tree_sort_target(check->query, column, NULL);

		if (bms_is_member(target->ressortgroupref, sorted))
			continue;
		window->orderClause = lappend(window->orderClause,
									  dp_tree_make_clause(exprType(column), target->ressortgroupref));
	}
}

/* Have the window whose functions depend on the order of rows, of which there is one at most, sort by all. */
static void
settle_order(Check *check)
{
	List	   *columns = columns_used(check->query);
	WindowClause *settled = NULL;
	ListCell   *lc;

	foreach(lc, check->query->targetList)
	{
		WindowFunc *call = (WindowFunc *) lfirst_node(TargetEntry, lc)->expr;
		WindowClause *window;

		if (!IsA(call, WindowFunc))
			continue;
		window = window_of(check, call);
		if (window == settled || dp_from_window_kind(call, window) == DP_WINDOW_PEERS)
			continue;
		if (settled)
			elog(ERROR, "two windows of a query depend on the order of rows");
		settled = window;
	}
	if (settled)
		sort_by_all(check, settled, columns);
}

/* Is one of these clauses over a column that is the unit? */
static bool
names_unit(const Query *query, List *clauses, const DpContribution *contribution)
{
	ListCell   *lc;

	foreach(lc, clauses)
		if (dp_from_is_unit(get_sortgroupclause_expr(lfirst(lc), query->targetList), contribution))
			return true;
	return false;
}

/* Partition by the unit as well where a window is partitioned by the key of a record. */
static void
add_units(Check *check, const DpContribution *contribution)
{
	Query	   *query = check->query;
	ListCell   *lc;

	foreach(lc, contribution->units ? query->windowClause : NIL)
	{
		WindowClause *window = lfirst_node(WindowClause, lc);
		List	   *keys = get_sortgrouplist_exprs(window->partitionClause, query->targetList);
		TargetEntry *target;

		if (names_unit(query, window->partitionClause, contribution) ||
			!dp_from_names_record(query, NIL, keys))
			continue;
		target = dp_tree_sort_target(query, copyObject(linitial(contribution->units)), "unit");
		window->partitionClause = lappend(window->partitionClause,
										  dp_tree_make_clause(exprType((Node *) target->expr), target->ressortgroupref));
	}
}

DpReason *
dp_from_check_windowed(Query *query, Index varno, DpStatement *statement, int location,
					   DpContribution *contribution)
{
	Check		check = {.query = query, .statement = statement, .location = location};
	int			number = -1;

	add_units(&check, contribution);
	validate_columns(&check, contribution);
	if (check.reason == NULL)
		check_windows(&check);
	if (check.units == NULL)
		refuse_partition(&check, location);
	if (check.reason)
		return check.reason;
	settle_order(&check);
	contribution->units = NIL;
	while ((number = bms_next_member(check.units, number)) >= 0)
		contribution->units = lappend(contribution->units,
									  makeVarFromTargetEntry(varno, get_tle_by_resno(query->targetList, number)));
	contribution->grouped = lappend(contribution->grouped, query);
	return NULL;
}
