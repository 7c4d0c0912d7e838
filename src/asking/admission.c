/* SPDX-License-Identifier: PostgreSQL */
/*
 * admission.c
 *	  Who may have a statement worked on that mentions protected tables.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "asking/admission.h"
#include "asking/select_right.h"
#include "base/settings.h"
#include "budget/account/role.h"
#include "budget/keeper/client.h"
#include "from/contribution.h"
#include "policy/policy.h"
#include "tree/find_blocks.h"
#include "tree/met.h"

/* Protected tables and aggregates that a statement mentions. */
typedef struct Mentions
{
	List	   *denied;			/* OIDs of protected tables that the role may not read */
	bool		aggregates;		/* is there a level that aggregates, groups or takes what is
								 * distinct? */
	bool		skip_unused;	/* leave out WITH queries that nothing refers to? */
	bool		in_denied;		/* inside of a view that the role may not read */
	bool		enters_denied;	/* the next query is that of such a view */
} Mentions;

/* Note the protected tables of one level that the role may not read, by themselves or in a view. */
static void
note_denied(Query *query, Mentions *found)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (dp_asking_is_protected_item(rte) && (found->in_denied || !dp_asking_may_select(query, rte)))
			found->denied = list_append_unique_oid(found->denied, rte->relid);
	}
}

static bool mention_walker(Node *node, Mentions *found);

/* Look at a level and all below. */
static void
look_at_level(Query *query, Mentions *found)
{
	bool		was_in_denied = found->in_denied;
	ListCell   *lc;

	found->in_denied |= found->enters_denied || dp_asking_denied_view_of(query) != NULL;
	found->enters_denied = false;
	found->aggregates |= dp_asking_aggregates_rows(query);
	note_denied(query, found);
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind != RTE_SUBQUERY)
			continue;
		found->enters_denied = dp_asking_is_denied_view(query, rte);
		(void) mention_walker((Node *) rte->subquery, found);
	}
	(void) query_tree_walker(query, mention_walker, found, QTW_IGNORE_JOINALIASES | QTW_IGNORE_RT_SUBQUERIES);
	found->in_denied = was_in_denied;
}

static bool
mention_walker(Node *node, Mentions *found)
{
	if (node == NULL ||
		(found->skip_unused && IsA(node, CommonTableExpr) && ((CommonTableExpr *) node)->cterefcount == 0))
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, mention_walker, found);
	check_stack_depth();
	look_at_level((Query *) node, found);
	return false;
}

/* Has the role a budget where a table's rows are charged?  *policy is that of the table. */
static bool
has_budget(Oid payer, Oid relid, DpPolicy *policy)
{
	return !dp_policy_policy_get(relid, policy) || dp_budget_may_charge(payer, NameStr(policy->dataset));
}

/* Has whoever pays no budget at all, and is no superuser, who may read everything? */
static bool
may_ask_nothing(Oid payer)
{
	return !superuser() && !dp_budget_may_charge_any(payer);
}

/* Raise what validation says where no protected table is read, without going through the statement. */
static void
refuse_unprotected(const char *table)
{
	if (table)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("table \"%s\" is not protected", table),
				 errhint("Its owner can protect it with dp_agg.protect(); use plain aggregates on tables you may read.")));
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a differentially private aggregate needs a protected table in FROM"),
			 errhint("%s", DP_FROM_HINT)));
}

/* Find a table that a statement reads. */
static bool
table_walker(Node *node, const char **table)
{
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, table_walker, table);
	foreach(lc, ((Query *) node)->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_RELATION && rte->relkind != RELKIND_VIEW)
			*table = rte->eref->aliasname;
	}
	return *table || query_tree_walker((Query *) node, table_walker, table, QTW_IGNORE_JOINALIASES);
}

void
dp_asking_admit_no_table(Query *query)
{
	const char *table = NULL;

	if (!may_ask_nothing(dp_budget_role_asking()))
		return;
	(void) table_walker((Node *) query, &table);
	refuse_unprotected(table);
}

bool
dp_asking_admit(Query *query, int found)
{
	bool		ours = (found & DP_FINDS_OURS) != 0;
	Mentions	mentions = {.skip_unused = !ours};
	Oid			payer = dp_budget_role_asking();
	DpPolicy	policy;
	ListCell   *lc;

	if (found & DP_FINDS_PROTECTED)
		look_at_level(query, &mentions);
	if (ours || mentions.denied != NIL)
		dp_tree_met.questions++;
	if (mentions.denied == NIL)
		return true;

	/* Several data sets in one statement have a refusal of their own. */
	foreach(lc, mentions.denied)
		if (has_budget(payer, lfirst_oid(lc), &policy))
			return true;
	if (ours || (dp_settings_plain_aggregates && mentions.aggregates))
		dp_budget_refuse(payer, NameStr(policy.dataset));
	return false;
}

void
dp_asking_admit_call(Oid relid)
{
	Oid			payer = dp_budget_role_asking();
	DpPolicy	policy;

	if (!dp_policy_is_protected(relid) && may_ask_nothing(payer))
		refuse_unprotected(get_rel_name(relid));
	if (dp_policy_is_protected(relid) &&
		pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK &&
		pg_attribute_aclcheck_all(relid, GetUserId(), ACL_SELECT, ACLMASK_ANY) != ACLCHECK_OK &&
		!has_budget(payer, relid, &policy))
		dp_budget_refuse(payer, NameStr(policy.dataset));
}
