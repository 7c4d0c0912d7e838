/*
 * joined_item.c
 *	  Sub-selects that are made to be left-joined to a query.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/typcache.h"

#include "base/compat.h"
#include "tree/make_nodes.h"
#include "asking/joined_item.h"

Var *
dp_query_joined_column(const DpJoined *joined, int number, bool above)
{
	TargetEntry *target = list_nth_node(TargetEntry, joined->query->targetList, number - 1);
	Var		   *column = makeVarFromTargetEntry(joined->varno, target);

	if (above)
		dp_compat_set_nulled_by(column, joined->join);
	return column;
}

Node *
dp_query_was_joined(const DpJoined *joined)
{
	return dp_query_make_not_null((Node *) dp_query_joined_column(joined, 1, true));
}

/* What a sub-select is called in messages: as what it reads first. */
static const char *
name_of(const Query *subselect)
{
	return linitial_node(RangeTblEntry, subselect->rtable)->eref->aliasname;
}

DpJoined *
dp_query_enter_joined(Query *query, Query *subselect)
{
	DpJoined   *joined = palloc0(sizeof(DpJoined));

	query->rtable = lappend(query->rtable, dp_query_make_open_item(subselect, name_of(subselect)));
	query->rtable = lappend(query->rtable, dp_query_make_join_entry(JOIN_LEFT));
	joined->query = subselect;
	joined->varno = list_length(query->rtable) - 1;
	joined->join = joined->varno + 1;
	return joined;
}

void
dp_query_join_entered(Query *query, const DpJoined *joined)
{
	List	   *from = query->jointree->fromlist;
	JoinExpr   *join = makeNode(JoinExpr);
	RangeTblRef *item = makeNode(RangeTblRef);

	item->rtindex = joined->varno;
	join->jointype = JOIN_LEFT;
	join->larg = list_length(from) == 1 ? linitial(from) : (Node *) makeFromExpr(from, NULL);
	join->rarg = (Node *) item;
	join->quals = joined->condition;
	join->rtindex = joined->join;
	query->jointree->fromlist = list_make1(join);
}

Node *
dp_query_by_ties(const DpJoined *joined, List *ties)
{
	Node	   *condition = NULL;
	ListCell   *lc;

	foreach(lc, ties)
		condition = make_and_qual(condition, dp_query_tie_with(lfirst(lc), (Node *)
															   dp_query_joined_column(joined, foreach_current_index(lc) + 1, false)));
	return condition;
}

bool
dp_query_group_by_ties(Query *query, List *ties)
{
	ListCell   *lc;

	foreach(lc, ties)
	{
		const DpTie *tie = lfirst(lc);

		if (!OidIsValid(lookup_type_cache(exprType(tie->own), TYPECACHE_LT_OPR)->lt_opr))
			return false;
		dp_query_add_group(query, copyObject(tie->own), psprintf("k%d", foreach_current_index(lc) + 1), false);
	}
	return true;
}
