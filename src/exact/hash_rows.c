/*
 * hash_rows.c
 *	  May a hash table be made of rows that the analyst has chosen?
 *
 * Of a table nobody knows what it holds when the exact query is planned.  Rows of public items
 * are constants by then, and what they are joined by can be looked at.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "exact/hash_rows.h"
#include "exact/planning.h"
#include "from/public_rows.h"

/* Add an expression over these relations to those that a hash table could be made by. */
static List *
add_key(List *keys, Node *expr, Relids relids, const RelOptInfo *rel)
{
	return bms_overlap(relids, rel->relids) ? list_append_unique(keys, expr) : keys;
}

/* The expressions over a relation by which it can be joined. */
static List *
keys_of(PlannerInfo *root, const RelOptInfo *rel)
{
	List	   *keys = NIL;
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, root->eq_classes)
	{
		const EquivalenceClass *equal = lfirst_node(EquivalenceClass, lc);

		/* What is grouped by is equal to itself alone. */
		foreach(lc2, list_length(equal->ec_members) > 1 ? equal->ec_members : NIL)
		{
			EquivalenceMember *member = lfirst_node(EquivalenceMember, lc2);

			keys = add_key(keys, (Node *) member->em_expr, member->em_relids, rel);
		}
	}
	foreach(lc, rel->joininfo)
	{
		RestrictInfo *info = lfirst_node(RestrictInfo, lc);

		if (!OidIsValid(info->hashjoinoperator))
			continue;
		keys = add_key(keys, get_leftop(info->clause), info->left_relids, rel);
		keys = add_key(keys, get_rightop(info->clause), info->right_relids, rel);
	}
	return keys;
}

/* Is a public item joined by nothing but one column, and that spread? */
static bool
is_joined_by_spread(PlannerInfo *root, const RelOptInfo *rel, const RangeTblEntry *rte)
{
	List	   *keys = keys_of(root, rel);
	Node	   *key = list_length(keys) == 1 ? linitial(keys) : NULL;

	while (key && IsA(key, RelabelType))
		key = (Node *) ((RelabelType *) key)->arg;
	return key && IsA(key, Var) && ((Var *) key)->varno == rel->relid &&
		dp_query_column_is_spread(rte, ((Var *) key)->varattno);
}

bool
dp_query_may_hash_rows(PlannerInfo *root, List *rels)
{
	ListCell   *lc;

	foreach(lc, rels)
	{
		const RelOptInfo *rel = lfirst_node(RelOptInfo, lc);
		const RangeTblEntry *rte = rel->reloptkind == RELOPT_BASEREL ? planner_rt_fetch(rel->relid, root) : NULL;

		if (rte && rte->rtekind == RTE_FUNCTION && !dp_query_has_few_rows(rte) &&
			!is_joined_by_spread(root, rel, rte))
			return false;
	}
	return true;
}

bool
dp_query_guess_rows(const RangeTblEntry *rte, VariableStatData *statistics)
{
	if (rte->rtekind != RTE_FUNCTION || !dp_query_is_below_release())
		return false;
	statistics->isunique = true;
	return true;
}
