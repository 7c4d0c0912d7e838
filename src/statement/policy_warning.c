/* SPDX-License-Identifier: PostgreSQL */
/*
 * policy_warning.c
 *	  Policies of row security that no question can be asked under.
 *
 * What a policy demands is tried by a question of its own: how many rows its table has under it alone.  That is read
 * and rewritten as any other, but never planned.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "nodes/makefuncs.h"
#include "rewrite/rewriteHandler.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/rls.h"

#include "asking/base_types.h"
#include "asking/joined.h"
#include "base/compat_planner.h"
#include "base/settings.h"
#include "policy/policy.h"
#include "policy/row_security.h"
#include "rewrite/rewrite.h"
#include "statement/policy_warning.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

/* SELECT dp_count(*) FROM a table under a policy. */
static Query *
count_under(Relation relation, const DpRowPolicy *policy)
{
	Query	   *query = dp_tree_make_select(NIL, makeFromExpr(NIL, policy->condition));
	RangeTblRef *item = makeNode(RangeTblRef);
	Aggref	   *count = dp_tree_make_count(NULL);

	item->rtindex = dp_compat_add_relation(query, relation);
	query->jointree->fromlist = list_make1(item);
	query->hasSubLinks = policy->has_sublinks;
	query->hasAggs = true;
	count->aggfnoid = dp_tree_own_function("dp_count", 0, NULL);
	(void) dp_tree_add_column(query, (Node *) count, "dp_count");
	query = linitial_node(Query, QueryRewrite(query));
	linitial_node(RangeTblEntry, query->rtable)->securityQuals = NIL;
	dp_policy_settle_row_security(linitial(query->rtable));
	return query;
}

/* What a condition mentions: see find_blocks.h. */
static int
mentions_in(Node *condition)
{
	return dp_tree_find(dp_tree_make_select(NIL, makeFromExpr(NIL, condition)), dp_policy_is_protected);
}

/* Why such a question is not allowed; NULL if it is. */
static DpReason *
obstacle(const Query *count)
{
	DpStatement statement = {.pricing = dp_settings_pricing(), .location = -1};
	List	   *applied = NIL;
	Query	   *query = dp_policy_read_row_security(unconstify(Query *, count), &applied);
	DpReason   *reason;

	query = dp_asking_read_base_types(query, NULL);
	query = dp_asking_join_subselects(query, true);
	(void) dp_rewrite_rewrite(query, &statement, &reason);
	return reason;
}

/* A reason, saying of which policy it is. */
static DpReason *
name_reason(Relation relation, const DpRowPolicy *policy, const DpReason *reason)
{
	DpReason   *named;

	named = dp_tree_reason_as(reason->sqlstate, -1, reason->hint,
							  "row security policy \"%s\" of \"%s\" is not allowed in a differentially private query: %s",
							  policy->name, RelationGetRelationName(relation), reason->message);
	named->detail = reason->detail;
	return named;
}

/* Why nobody can ask a table under a policy, naming it; NULL if they can. */
static DpReason *
name_obstacle(Relation relation, const DpRowPolicy *policy)
{
	Query	   *count = count_under(relation, policy);
	const DpReason *reason;

	if (mentions_in(count->jointree->quals) & DP_FINDS_OURS)
		return dp_tree_reason(-1, "Compare columns with constants, or with what public tables hold.",
							  "row security policy \"%s\" of \"%s\" calls a function of dp_agg",
							  policy->name, RelationGetRelationName(relation));
	reason = obstacle(count);
	return reason ? name_reason(relation, policy, reason) : NULL;
}

const DpReason *
dp_statement_name_policy(const DpReason *reason, List *applied)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, dp_policy_tables_with_policies(applied))
	{
		Relation	relation = relation_open(lfirst_oid(lc), AccessShareLock);

		foreach(lc2, dp_policy_row_policies(relation, true))
		{
			DpReason   *named = name_obstacle(relation, lfirst(lc2));

			if (named == NULL)
				continue;
			relation_close(relation, NoLock);
			return named;
		}
		relation_close(relation, NoLock);
	}
	return reason;
}

const DpReason *
dp_statement_check_policies(List *applied)
{
	ListCell   *lc;

	foreach(lc, applied)
		if (mentions_in(llast(lfirst_node(List, lc))) & (DP_FINDS_OURS | DP_FINDS_PROTECTED))
			return dp_statement_name_policy(NULL, applied);
	return NULL;
}

/* Say why a policy is not allowed; an error that it raises is a reason. */
static void
warn_of_policy(Relation relation, const DpRowPolicy *policy)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	const DpReason *volatile reason = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		reason = name_obstacle(relation, policy);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		reason = name_reason(relation, policy, dp_tree_reason_as(error->sqlerrcode, -1, error->hint, "%s", error->message));
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (reason)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING), errmsg("%s", reason->message),
				 reason->detail ? errdetail("%s", reason->detail) : 0,
				 reason->hint ? errhint("%s", reason->hint) : 0));
}

void
dp_statement_warn_of_policies(Oid relid)
{
	Relation	relation;
	ListCell   *lc;

	/* A dump is restored without it. */
	if (!row_security || !dp_policy_is_protected(relid))
		return;
	relation = relation_open(relid, AccessShareLock);
	foreach(lc, relation->rd_rel->relrowsecurity ? dp_policy_row_policies(relation, false) : NIL)
		warn_of_policy(relation, lfirst(lc));
	relation_close(relation, NoLock);
}

/* Does a command turn row security on? */
static bool
enables(const AlterTableStmt *command)
{
	ListCell   *lc;

	foreach(lc, command->cmds)
		if (lfirst_node(AlterTableCmd, lc)->subtype == AT_EnableRowSecurity)
			return true;
	return false;
}

void
dp_statement_warn_of_policies_by(Node *command)
{
	RangeVar   *table = NULL;
	Oid			relid;

	if (IsA(command, CreatePolicyStmt))
		table = ((CreatePolicyStmt *) command)->table;
	else if (IsA(command, AlterPolicyStmt))
		table = ((AlterPolicyStmt *) command)->table;
	else if (IsA(command, AlterTableStmt) && enables((AlterTableStmt *) command))
		table = ((AlterTableStmt *) command)->relation;
	if (table == NULL)
		return;
	CommandCounterIncrement();
	relid = RangeVarGetRelid(table, AccessShareLock, true);
	if (OidIsValid(relid))
		dp_statement_warn_of_policies(relid);
}
