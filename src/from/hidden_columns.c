/*
 * hidden_columns.c
 *	  Columns that their table's owner has closed (dp_agg.hide_column).
 *
 * What counts is what the query says, after views and subqueries are looked through: a
 * view that selects a hidden column may be asked as long as nothing is made of that.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "base/compat.h"
#include "from/from_item.h"
#include "from/hidden_columns.h"

/* The columns that a part of a query mentions: a list of Var. */
static List *
columns_of(Query *query, Node *part)
{
	return pull_vars_of_level(dp_compat_flatten_joins(query, copyObject(part)), 0);
}

/* The first of these columns that is hidden in one of the tables. */
static DpReason *
find_hidden(List *columns, List *leaves, int location)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, columns)
		foreach(lc2, leaves)
		{
			const Var  *column = lfirst(lc);
			const DpFromItem *leaf = lfirst(lc2);

			if (IsA(column, Var) && column->varno == leaf->varno && column->varattno > 0 &&
				leaf->rte->rtekind == RTE_RELATION && leaf->is_protected &&
				bms_is_member(column->varattno, leaf->contribution.policy.hidden))
				return dp_query_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE,
										  column->location >= 0 ? column->location : location,
										  "The table's owner has closed it for queries, with dp_agg.hide_column.",
										  "permission denied for column \"%s\" of \"%s\"",
										  get_attname(leaf->rte->relid, column->varattno, false),
										  leaf->rte->eref->aliasname);
		}
	return NULL;
}

/* Does any of the tables have hidden columns? */
static bool
hides_any(List *leaves)
{
	ListCell   *lc;

	foreach(lc, leaves)
	{
		const DpFromItem *leaf = lfirst(lc);

		if (leaf->rte->rtekind == RTE_RELATION && leaf->is_protected &&
			leaf->contribution.policy.hidden)
			return true;
	}
	return false;
}

DpReason *
dp_query_check_hidden(Query *query, List *leaves, int location)
{
	DpReason   *reason;

	if (!hides_any(leaves))
		return NULL;
	reason = find_hidden(columns_of(query, (Node *) query->targetList), leaves, location);
	if (reason == NULL)
		reason = find_hidden(columns_of(query, query->havingQual), leaves, location);
	if (reason == NULL)
		reason = find_hidden(columns_of(query, (Node *) query->jointree), leaves, location);
	return reason;
}

Bitmapset *
dp_query_columns_read(Query *query, Index varno)
{
	Node	   *parts[] = {(Node *) query->targetList, query->havingQual, (Node *) query->jointree};
	Bitmapset  *read = NULL;
	ListCell   *lc;

	for (int i = 0; i < lengthof(parts); i++)
		foreach(lc, columns_of(query, parts[i]))
		{
			const Var  *var = lfirst(lc);

			if (IsA(var, Var) && var->varno == varno && var->varattno > 0)
				read = bms_add_member(read, var->varattno);
		}
	return read;
}
