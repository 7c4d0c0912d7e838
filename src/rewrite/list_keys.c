/*
 * list_keys.c
 *	  The query that reads the keys that public tables list.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"

#include "base/compat.h"
#include "pricing/block_rewrite.h"
#include "tree/make_nodes.h"
#include "rewrite/list_keys.h"

bool
dp_query_keys_are_listed(const DpBlockRewrite *rewrite)
{
	return rewrite->contribution.listing != NULL && rewrite->key_exprs != NIL &&
		bms_is_subset(pull_varnos(NULL, (Node *) rewrite->key_exprs), rewrite->contribution.listed);
}

/* A copy of the block's range table with nothing in it but what lists keys. */
static List *
listed_entries(const DpBlockRewrite *rewrite)
{
	List	   *entries = NIL;
	ListCell   *lc;

	foreach(lc, rewrite->query->rtable)
	{
		RangeTblEntry *entry;

		if (bms_is_member(foreach_current_index(lc) + 1, rewrite->contribution.listed))
			entry = copyObject(lfirst_node(RangeTblEntry, lc));
		else
		{
			entry = makeNode(RangeTblEntry);
			entry->rtekind = RTE_RESULT;
			entry->eref = makeAlias("nothing", NIL);
		}
		entries = lappend(entries, entry);
	}
	return entries;
}

Query *
dp_query_list_keys(const DpBlockRewrite *rewrite)
{
	Query	   *query = dp_query_make_select(listed_entries(rewrite),
											 copyObject(rewrite->contribution.listing));
	ListCell   *lc;

	dp_compat_take_permissions(query, rewrite->query);
	foreach(lc, rewrite->key_exprs)
		dp_query_add_group(query, copyObject(lfirst(lc)), "key", false);
	query->sortClause = copyObject(query->groupClause);
	query->limitCount = (Node *) dp_query_make_int8(DP_MOST_KEYS + 1);
	return query;
}
