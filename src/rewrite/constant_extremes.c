/* SPDX-License-Identifier: PostgreSQL */
/*
 * constant_extremes.c
 *	  min and max of what is the same in all rows of a block.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "rewrite/constant_extremes.h"
#include "tree/find_blocks.h"
#include "tree/own_functions.h"
#include "tree/release_query.h"

/* What an aggregate is the least or the greatest of, if that is one public value; or NULL. */
static Node *
constant_of(const Aggref *aggref, const DpPublicReads *reads)
{
	DpFunction	function = dp_tree_function(aggref->aggfnoid);
	Node	   *value;

	if ((function != DP_FUNCTION_MIN && function != DP_FUNCTION_MAX) || aggref->agglevelsup > 0 || aggref->aggfilter ||
		list_length(aggref->args) != 1)
		return NULL;
	value = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	if (contain_var_clause(value) || exprType(value) != aggref->aggtype)
		return NULL;
	value = dp_tree_read_again(reads, value);
	return dp_tree_varies(value) ? NULL : value;
}

static Node *
read_mutator(Node *node, DpPublicReads *reads)
{
	Node	   *value;

	if (node == NULL || IsA(node, Query))
		return node;
	value = IsA(node, Aggref) ? constant_of((Aggref *) node, reads) : NULL;
	return value ? value : expression_tree_mutator(node, read_mutator, reads);
}

void
dp_rewrite_read_constant_extremes(Query *block, const DpPublicReads *reads)
{
	Query		read = *block;

	if (reads->queries == NIL)
		return;
	read.targetList = (List *) read_mutator((Node *) block->targetList, unconstify(DpPublicReads *, reads));
	read.havingQual = read_mutator(block->havingQual, unconstify(DpPublicReads *, reads));
	if (dp_tree_aggregates(&read) == NIL)
		return;
	block->targetList = read.targetList;
	block->havingQual = read.havingQual;
	block->hasSubLinks |= checkExprHasSubLink((Node *) read.targetList) || checkExprHasSubLink(read.havingQual);
}
