/* SPDX-License-Identifier: PostgreSQL */
/*
 * find_blocks.c
 *	  Finding what concerns us in a statement, in one walk: every statement that
 *	  is planned pays for it.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"

#include "sidechannel/hide_statistics.h"
#include "tree/find_blocks.h"
#include "tree/node_map.h"
#include "tree/own_functions.h"

/* Is this a function that has to be rewritten wherever it stands? */
static bool
needs_rewrite(Oid funcid)
{
	DpFunction	function = dp_tree_function(funcid);

	return function != DP_FUNCTION_OTHER && function != DP_FUNCTION_BUCKET &&
		function != DP_FUNCTION_PLACE && function != DP_FUNCTION_MODEL_GRID;
}

bool
dp_tree_is_ours(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Aggref:
			return needs_rewrite(((Aggref *) node)->aggfnoid);
		case T_WindowFunc:
			return needs_rewrite(((WindowFunc *) node)->winfnoid);
		case T_FuncExpr:
			return needs_rewrite(((FuncExpr *) node)->funcid);
		default:
			return false;
	}
}

bool
dp_tree_is_keys_alone(Node *node)
{
	return IsA(node, Aggref) && ((Aggref *) node)->aggfilter == NULL &&
		dp_tree_function(((Aggref *) node)->aggfnoid) == DP_FUNCTION_KEYS_ALONE;
}

/* Is this a call of a function that may be an SQL function? */
static bool
calls_user_function(RangeTblEntry *rte)
{
	Node	   *call;

	if (rte->rtekind != RTE_FUNCTION || list_length(rte->functions) != 1)
		return false;
	call = linitial_node(RangeTblFunction, rte->functions)->funcexpr;
	return IsA(call, FuncExpr) && ((FuncExpr *) call)->funcid >= FirstNormalObjectId &&
		!dp_tree_is_ours(call);
}

/* Blocks that were found so far. */
typedef struct Search
{
	bool		(*is_protected) (Oid);
	int			found;
} Search;

/* Contents of the range table of one query level. */
static int
find_in_from(Query *query, const Search *search)
{
	int			found = 0;
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (calls_user_function(rte))
			found |= DP_FINDS_USER_FUNCTION;
		if (rte->rtekind != RTE_RELATION)
			continue;
		if (dp_sidechannel_reads_counts(query, rte))
			found |= DP_FINDS_COUNTS;
		if (search->is_protected(rte->relid))
			found |= DP_FINDS_PROTECTED;
	}
	return found;
}

static bool
find_walker(Node *node, Search *search)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		search->found |= find_in_from((Query *) node, search);

		/* A join's aliases hold no more than columns, but many of them. */
		return query_tree_walker((Query *) node, find_walker, search, QTW_IGNORE_JOINALIASES);
	}
	if (dp_tree_is_ours(node))
		search->found |= DP_FINDS_OURS;
	else if (IsA(node, FuncExpr) && dp_sidechannel_is_size(((FuncExpr *) node)->funcid))
		search->found |= DP_FINDS_SIZES;
	return expression_tree_walker(node, find_walker, search);
}

int
dp_tree_find(Query *query, bool (*is_protected) (Oid))
{
	Search		search = {.is_protected = is_protected};

	find_walker((Node *) query, &search);
	return search.found;
}

/* Find the leftmost call of ours that has a location. */
static bool
first_mention_walker(Node *node, int *location)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, first_mention_walker, location, 0);
	if (dp_tree_is_ours(node) && exprLocation(node) >= 0 &&
		(*location < 0 || exprLocation(node) < *location))
		*location = exprLocation(node);
	return expression_tree_walker(node, first_mention_walker, location);
}

int
dp_tree_first_mention(Query *query)
{
	int			location = -1;

	query_tree_walker(query, first_mention_walker, &location, 0);
	return location;
}

/* Aggregates of a block, collected without duplicates. */
typedef struct Collection
{
	List	   *aggregates;
	DpNodeMap  *numbers;		/* of these */
} Collection;

/* Collect our aggregates of this level. */
static bool
aggregates_walker(Node *node, Collection *found)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && dp_tree_is_ours(node))
	{
		if (dp_tree_number_node(found->numbers, node, list_length(found->aggregates)))
			found->aggregates = lappend(found->aggregates, node);
		return false;
	}
	if (IsA(node, Query))
		return false;
	return expression_tree_walker(node, aggregates_walker, found);
}

List *
dp_tree_aggregates(Query *block)
{
	Collection	found = {.numbers = dp_tree_node_map()};

	aggregates_walker((Node *) block->targetList, &found);
	aggregates_walker(block->havingQual, &found);
	return found.aggregates;
}

/* Find one of our aggregates of this level. */
static bool
first_aggregate_walker(Node *node, Aggref **first)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (!IsA(node, Aggref) || !dp_tree_is_ours(node))
		return expression_tree_walker(node, first_aggregate_walker, first);
	*first = (Aggref *) node;
	return true;
}

Aggref *
dp_tree_first_aggregate(Query *query)
{
	Aggref	   *first = NULL;

	if (!first_aggregate_walker((Node *) query->targetList, &first))
		(void) first_aggregate_walker(query->havingQual, &first);
	return first;
}

bool
dp_tree_is_block(Query *query)
{
	return query->hasAggs && dp_tree_first_aggregate(query) != NULL;
}
