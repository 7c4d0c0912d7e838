/* SPDX-License-Identifier: PostgreSQL */
/*
 * plain_blocks.c
 *	  Which levels of a statement are plain blocks, and their replacement.
 *
 * A level that aggregates protected rows which the role may not read is a plain block,
 * unless it groups by the unit: what it makes are then rows of single units, which a level
 * around it may aggregate.  The innermost level that is a block is it: what is around reads
 * released rows.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "asking/count_groups.h"
#include "asking/plain_aggregate.h"
#include "asking/plain_blocks.h"
#include "asking/select_right.h"
#include "from/key_closure.h"
#include "from/pull_up.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

typedef struct Search
{
	List	   *levels;			/* of Query: this one and those around, innermost first */
	List	   *below;			/* of Query: in the FROM of aggregates of ours */
	ParamListInfo params;
	DpReason   *reason;
	bool		replaced;		/* anything of this level */
	bool		found;			/* or of any */
} Search;

/*
 * Note the subqueries in the FROM of a level with aggregates of ours.  They are part of
 * its block, so that what may not stand there is refused as ever.
 */
static void
note_below(Search *search, Query *query, List *levels)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		List	   *inner_levels;
		Query	   *inner = dp_from_subquery_of(lfirst(lc), levels, &inner_levels);

		if (inner == NULL || dp_tree_is_block(inner) || list_member_ptr(search->below, inner))
			continue;
		search->below = lappend(search->below, inner);
		note_below(search, inner, inner_levels);
	}
}

static bool
note_level(Query *query, List *levels, void *search)
{
	if (dp_tree_is_block(query))
		note_below(search, query, levels);
	return false;
}

/* Is it a call of dp_interval, which may be of plain aggregates? */
static bool
is_interval(Node *node)
{
	return IsA(node, FuncExpr) && dp_tree_function(((FuncExpr *) node)->funcid) == DP_FUNCTION_INTERVAL;
}

static Node *
replace_mutator(Node *node, Search *search)
{
	if (node == NULL || search->reason)
		return node;
	if (IsA(node, Query) || (dp_tree_is_ours(node) && !is_interval(node)))
		return node;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0)
	{
		search->replaced = true;
		if (dp_asking_is_mode((Aggref *) node))
			return dp_asking_mode_form(linitial(search->levels), (Aggref *) node, &search->reason);
		return dp_asking_private_form((Aggref *) node, search->params, &search->reason);
	}
	return expression_tree_mutator(node, replace_mutator, search);
}

/* A role that may read one table of two is told which way there is. */
static DpReason *
check_right(const DpRawRows *rows)
{
	if (rows->readable == NULL)
		return NULL;
	return dp_tree_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE, -1,
							 "Use dp_ aggregates, such as dp_count, to be answered with noise.",
							 "permission denied to read \"%s\" beside \"%s\", which may be read",
							 rows->denied->eref->aliasname, rows->readable->eref->aliasname);
}

/* Is this level, the innermost of search->levels, a block, with plain aggregates or without any? */
static bool
is_plain_block(Search *search, Query *query, DpRawRows *rows)
{
	bool		has_keys = query->groupClause != NIL || query->distinctClause != NIL;

	if (query->commandType != CMD_SELECT || !dp_asking_aggregates_rows(query) ||
		!(query->hasAggs || has_keys) || list_member_ptr(search->below, query))
		return false;
	dp_asking_find_raw_rows(query, search->levels, rows);
	return rows->denied && (dp_tree_is_block(query) || !dp_asking_groups_by_unit(query, search->levels));
}

/* Replace the aggregates of a block; keys by themselves get a condition that is one. */
static void
replace_aggregates(Search *search, Query *query, const DpRawRows *rows)
{
	int			location = exprLocation((Node *) query->targetList);

	search->replaced = false;
	dp_from_distinct_to_group(query);
	query->targetList = (List *) replace_mutator((Node *) query->targetList, search);
	query->havingQual = replace_mutator(query->havingQual, search);
	if (search->reason == NULL && search->replaced && dp_tree_aggregates(query) == NIL)
		search->reason = dp_asking_forget_from(query);
	else if (search->reason == NULL && dp_tree_aggregates(query) == NIL)
	{
		search->replaced = true;
		query->havingQual = make_and_qual(query->havingQual, dp_asking_make_keys_alone(location));
		query->hasAggs = true;
	}
	search->found |= search->replaced;
	if (search->reason == NULL && search->replaced)
		search->reason = check_right(rows);
	if (search->reason && search->reason->location < 0)
		search->reason->location = location;
}

static bool
replace_level(Query *query, List *levels, void *context)
{
	Search	   *search = context;
	DpRawRows	rows;

	search->levels = levels;
	if (is_plain_block(search, query, &rows))
		replace_aggregates(search, query, &rows);
	return search->reason != NULL;
}

static bool
count_groups(Query *query, List *levels, void *context)
{
	dp_asking_count_groups(query, levels);
	return false;
}

Query *
dp_asking_replace_plain(const Query *query, ParamListInfo params, bool *found, DpReason **reason)
{
	Search		search = {.params = params};
	Query	   *replaced = copyObject(unconstify(Query *, query));

	(void) dp_asking_visit_levels(replaced, false, count_groups, NULL);
	(void) dp_asking_visit_levels(replaced, false, note_level, &search);
	(void) dp_asking_visit_levels(replaced, false, replace_level, &search);
	*found = search.found;
	*reason = search.reason;
	return search.reason ? NULL : replaced;
}
