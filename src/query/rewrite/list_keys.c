/*
 * list_keys.c
 *	  The query that reads the keys that public tables list.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "query/block/block_rewrite.h"
#include "query/nodes/make_nodes.h"
#include "query/rewrite/list_keys.h"

bool
dp_query_keys_are_listed(const DpShape *shape)
{
	return shape->contribution.listing != NULL && shape->key_exprs != NIL &&
		bms_is_subset(pull_varnos(NULL, (Node *) shape->key_exprs), shape->contribution.listed);
}

/* A copy of the block's range table with nothing in it but what lists keys. */
static List *
listed_entries(const DpShape *shape)
{
	List	   *entries = NIL;
	ListCell   *lc;

	foreach(lc, shape->query->rtable)
	{
		RangeTblEntry *entry;

		if (bms_is_member(foreach_current_index(lc) + 1, shape->contribution.listed))
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
dp_query_list_keys(const DpShape *shape)
{
	Query	   *query = dp_query_make_select(listed_entries(shape),
											 copyObject(shape->contribution.listing));
	ListCell   *lc;

	dp_compat_take_permissions(query, shape->query);
	foreach(lc, shape->key_exprs)
		dp_query_add_group(query, copyObject(lfirst(lc)), "key", false);
	query->sortClause = copyObject(query->groupClause);
	query->limitCount = (Node *) dp_query_make_int8(DP_MOST_KEYS + 1);
	return query;
}
