/* SPDX-License-Identifier: PostgreSQL */
/*
 * count_groups.c
 *	  Counts of groups, answered as counts of distinct values.
 *
 *		SELECT count(*) FROM (SELECT DISTINCT ward, day FROM stays WHERE cost > 5) t
 *
 * asks how many groups there are.  Groups that are released are those of many people, so that what
 * is released says too little.  But the question has an answer of its own:
 *
 *		SELECT count(DISTINCT ROW(ward, day)) FROM (SELECT ward, day FROM stays WHERE cost > 5) t
 *
 * is the same in PostgreSQL.  Every row of the inner query has the values of one of its groups, and every group
 * those of a row.  A row of keys is never NULL as a whole, so that one of NULLs alone counts, as its group does.
 * What is around, conditions and keys, looks at these values alone, alike for all rows of a group.
 *
 * Keys that are public, by type or as declared, are left as they are: their groups are all released.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "asking/count_groups.h"
#include "asking/select_right.h"
#include "base/compat_planner.h"
#include "from/key_closure.h"
#include "policy/domain.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

/* Most keys that are counted together. */
#define MOST_KEYS 32

/* A column as one of a table, by the range table entries that it comes from; or NULL. */
static Var *
column_of_table(Query *query, List *levels, Node *expr, RangeTblEntry **rte)
{
	Var		   *var = (Var *) dp_tree_without_casts(expr);
	Query	   *inner;
	TargetEntry *target;

	check_stack_depth();
	if (var == NULL || !IsA(var, Var) || var->varlevelsup > 0 || var->varattno <= 0)
		return NULL;
	*rte = rt_fetch(var->varno, query->rtable);
	if ((*rte)->rtekind == RTE_JOIN)
		return column_of_table(query, levels, list_nth((*rte)->joinaliasvars, var->varattno - 1), rte);
	if ((*rte)->rtekind == RTE_RELATION)
		return var;
	inner = dp_from_subquery_of(*rte, levels, &levels);
	if (inner == NULL || inner->setOperations)
		return NULL;
	target = get_tle_by_resno(inner->targetList, var->varattno);
	return target ? column_of_table(inner, levels, (Node *) target->expr, rte) : NULL;
}

/* A key as it is written: since 18 an entry of the range table holds those of GROUP BY. */
static Node *
written_key(const Query *query, Node *key)
{
	const Var  *var = (const Var *) key;
	Node	   *written = NULL;

	if (IsA(var, Var) && var->varlevelsup == 0 && var->varattno > 0)
		written = dp_compat_grouped(rt_fetch(var->varno, query->rtable), var->varattno);
	return written ? written : key;
}

/* Are all values of a key known to everybody? */
static bool
is_public(Query *query, List *levels, Node *key)
{
	DpFunction	function = IsA(key, FuncExpr) ? dp_tree_function(((FuncExpr *) key)->funcid) : DP_FUNCTION_OTHER;
	RangeTblEntry *rte;
	Var		   *var;
	DpDomain	domain;

	if (exprType(key) == BOOLOID || get_typtype(exprType(key)) == TYPTYPE_ENUM ||
		function == DP_FUNCTION_BUCKET || function == DP_FUNCTION_PLACE)
		return true;
	var = column_of_table(query, levels, key, &rte);
	if (var == NULL)
		return false;
	dp_policy_domain_get(rte->relid, var->varattno, &domain);
	return domain.kind == DP_DOMAIN_KEYS || domain.kind == DP_DOMAIN_REFERENCE;
}

/* The clauses of an inner query that makes nothing but groups, of which not all are public; or NIL. */
static List *
private_groups_of(Query *query, List *levels)
{
	List	   *clauses = query->groupClause ? query->groupClause : query->distinctClause;
	bool		all_public = true;
	ListCell   *lc;

	if (query->hasAggs || query->hasWindowFuncs || query->hasTargetSRFs || query->hasDistinctOn ||
		query->groupingSets || query->havingQual || query->setOperations || query->limitCount ||
		query->limitOffset || query->rowMarks || (query->groupClause && query->distinctClause) ||
		list_length(clauses) > MOST_KEYS)
		return NIL;
	foreach(lc, query->targetList)
	{
		const TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (target->resjunk)
			return NIL;
	}
	foreach(lc, clauses)
		all_public = all_public &&
			is_public(query, levels, written_key(query, get_sortgroupclause_expr(lfirst(lc), query->targetList)));
	return all_public ? NIL : clauses;
}

/* The columns of item `varno` that an inner query groups by, as columns of the level around. */
static List *
keys_of_item(Query *inner, List *clauses, Index varno)
{
	List	   *keys = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
		keys = lappend(keys, makeVarFromTargetEntry(varno, get_sortgroupclause_tle(lfirst(lc), inner->targetList)));
	return keys;
}

/* An aggregate of a level that counts groups. */
typedef struct Counting
{
	List	   *keys;			/* of Var */
	bool		counts;			/* is there a count of groups, */
	bool		others;			/* or an aggregate that rows of groups would change? */
} Counting;

/* What does an aggregate count: all groups, those with a value (*value), or none? */
static bool
counts_groups(const Aggref *aggref, Node **value)
{
	Node	   *arg = aggref->args == NIL ? NULL : (Node *) linitial_node(TargetEntry, aggref->args)->expr;

	*value = NULL;
	if (aggref->aggdistinct || aggref->aggorder || aggref->agglevelsup > 0 ||
		(aggref->aggfnoid != F_COUNT_ && aggref->aggfnoid != F_COUNT_ANY))
		return false;
	if (arg && !IsA(arg, Const))
		*value = arg;
	return arg == NULL || !IsA(arg, Const) || !((Const *) arg)->constisnull;
}

/* Is an aggregate the same over groups and over their rows? */
static bool
ignores_duplicates(const Aggref *aggref)
{
	char	   *name = get_func_name(aggref->aggfnoid);
	Node	   *arg = aggref->args == NIL ? NULL : (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	bool		of_null = arg && IsA(arg, Const) && ((Const *) arg)->constisnull;

	return aggref->agglevelsup == 0 && aggref->aggfnoid < FirstUnpinnedObjectId && aggref->aggorder == NIL &&
		((aggref->aggfnoid == F_COUNT_ANY && (aggref->aggdistinct || of_null)) || strcmp(name, "min") == 0 || strcmp(name, "max") == 0);
}

static bool
look_at_aggregates(Node *node, void *context)
{
	Counting   *counting = context;
	Node	   *value;

	if (node == NULL)
		return false;
	if (IsA(node, Query) || IsA(node, GroupingFunc))
	{
		counting->others = true;
		return true;
	}
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, look_at_aggregates, context);
	if (counts_groups((Aggref *) node, &value))
		counting->counts = true;
	else if (!ignores_duplicates((Aggref *) node))
		counting->others = true;
	return false;
}

/* count(DISTINCT ROW(keys)), of those with a value. */
static Node *
count_distinct(const Aggref *aggref, List *keys, Node *value)
{
	Aggref	   *count = (Aggref *) dp_tree_make_count(NULL);
	RowExpr    *row = makeNode(RowExpr);
	SortGroupClause *clause = makeNode(SortGroupClause);

	row->args = copyObject(keys);
	row->row_typeid = RECORDOID;
	row->row_format = COERCE_IMPLICIT_CAST;
	row->location = aggref->location;
	for (int i = 0; i < list_length(keys); i++)
		row->colnames = lappend(row->colnames, makeString(psprintf("f%d", i + 1)));
	get_sort_group_operators(RECORDOID, false, true, false, &clause->sortop, &clause->eqop, NULL, &clause->hashable);
	clause->tleSortGroupRef = 1;
	count->aggfnoid = F_COUNT_ANY;
	count->aggargtypes = list_make1_oid(RECORDOID);
	count->aggstar = false;
	count->args = list_make1(makeTargetEntry((Expr *) row, 1, NULL, false));
	linitial_node(TargetEntry, count->args)->ressortgroupref = 1;
	count->aggdistinct = list_make1(clause);
	count->aggfilter = copyObject(aggref->aggfilter);
	if (value)
		count->aggfilter = (Expr *) make_and_qual((Node *) count->aggfilter, (Node *) dp_tree_make_not_null(copyObject(value)));
	count->location = aggref->location;
	return (Node *) count;
}

static Node *
replace_counts(Node *node, void *keys)
{
	Node	   *value;

	if (node == NULL || IsA(node, Query))
		return node;
	if (IsA(node, Aggref))
		return counts_groups((Aggref *) node, &value) ? count_distinct((Aggref *) node, keys, value) : node;
	return expression_tree_mutator(node, replace_counts, keys);
}

/* The only item of FROM, or NULL. */
static RangeTblEntry *
only_item(Query *query, Index *varno)
{
	Node	   *item = list_length(query->jointree->fromlist) == 1 ? linitial(query->jointree->fromlist) : NULL;

	if (item == NULL || !IsA(item, RangeTblRef))
		return NULL;
	*varno = ((RangeTblRef *) item)->rtindex;
	return rt_fetch(*varno, query->rtable);
}

/* Have an item that refers to a WITH query, of this level and of nobody else, be a subquery. */
static bool
take_in(Query *query, RangeTblEntry *rte)
{
	ListCell   *lc;

	if (rte->rtekind == RTE_SUBQUERY)
		return !rte->lateral && !rte->security_barrier;
	foreach(lc, rte->rtekind == RTE_CTE && rte->ctelevelsup == 0 && !query->hasRecursive ? query->cteList : NIL)
	{
		CommonTableExpr *with = lfirst_node(CommonTableExpr, lc);

		if (strcmp(with->ctename, rte->ctename) != 0)
			continue;
		if (with->cterefcount != 1 || with->ctematerialized == CTEMaterializeAlways)
			return false;
		rte->rtekind = RTE_SUBQUERY;
		rte->subquery = (Query *) with->ctequery;
		rte->ctename = NULL;
		rte->coltypes = rte->coltypmods = rte->colcollations = NIL;
		query->cteList = foreach_delete_current(query->cteList, lc);
		return true;
	}
	return false;
}

void
dp_asking_count_groups(Query *query, List *levels)
{
	Counting	counting = {0};
	Index		varno;
	RangeTblEntry *rte = query->commandType == CMD_SELECT && query->hasAggs ? only_item(query, &varno) : NULL;
	List	   *inner_levels;
	Query	   *inner = rte ? dp_from_subquery_of(rte, levels, &inner_levels) : NULL;
	List	   *clauses = inner ? private_groups_of(inner, inner_levels) : NIL;
	DpRawRows	rows;

	if (clauses == NIL || query->groupingSets || query->hasWindowFuncs || query->hasTargetSRFs || dp_tree_is_block(query))
		return;
	dp_asking_find_raw_rows(inner, inner_levels, &rows);
	(void) look_at_aggregates((Node *) query->targetList, &counting);
	(void) look_at_aggregates(query->havingQual, &counting);
	if (rows.denied == NULL || !counting.counts || counting.others ||
		dp_asking_groups_by_unit(inner, inner_levels) || !take_in(query, rte))
		return;
	counting.keys = keys_of_item(inner, clauses, varno);
	query->targetList = (List *) replace_counts((Node *) query->targetList, counting.keys);
	query->havingQual = replace_counts(query->havingQual, counting.keys);
	inner->groupClause = inner->distinctClause = inner->sortClause = NIL;
}
