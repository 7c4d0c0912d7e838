/* SPDX-License-Identifier: PostgreSQL */
/*
 * refresh.c
 *	  REFRESH MATERIALIZED VIEW of a view over a question, by others than who pays for it.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

#include "base/compat_catalog.h"
#include "budget/account/payer.h"
#include "policy/policy.h"
#include "statement/refresh.h"
#include "tree/met.h"
#include "tree/own_functions.h"

/* A view that is being refreshed. */
typedef struct Refreshed
{
	Oid			relid;
	Oid			owner;
	bool		populated;
	bool		behind;			/* in a copy whose budgets may be behind */
} Refreshed;

static const Refreshed *refreshed = NULL;

Oid
dp_statement_refresh_owner(void)
{
	return refreshed ? refreshed->owner : InvalidOid;
}

/*
 * Look at the view that a command names; false if there is nothing that could need lenience.  Nothing is
 * locked: who may not refresh it is told so by PostgreSQL, before it waits for anybody.
 */
static bool
look_at(const RefreshMatViewStmt *command, Refreshed *view)
{
	Oid			relid = RangeVarGetRelid(command->relation, NoLock, true);
	HeapTuple	tuple;

	*view = (Refreshed) {0};
	if (command->skipData || !OidIsValid(relid) || !OidIsValid(get_extension_oid("dp_agg", true)))
		return false;
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	if (!HeapTupleIsValid(tuple))
		return false;
	if (((Form_pg_class) GETSTRUCT(tuple))->relkind == RELKIND_MATVIEW && dp_compat_may_maintain(relid, GetUserId()))
	{
		view->relid = relid;
		view->owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		view->populated = ((Form_pg_class) GETSTRUCT(tuple))->relispopulated;
	}
	ReleaseSysCache(tuple);
	view->behind = OidIsValid(view->owner) && dp_budget_payer_any_behind();
	return OidIsValid(view->owner);
}

/* Does the session belong to who administers the database, and may restore it? */
static bool
is_administrators(void)
{
	return superuser_arg(GetAuthenticatedUserId()) ||
		dp_compat_owns(DatabaseRelationId, MyDatabaseId, GetAuthenticatedUserId());
}

/* May a question of the view remain unanswered without an error? */
static bool
is_lenient(const Refreshed *view)
{
	return view->behind ||
		(!view->populated && (GetOuterUserId() != view->owner || is_administrators()));
}

static bool
is_extensions(Oid funcid, void *context)
{
	return funcid >= FirstNormalObjectId && dp_tree_is_extensions(funcid);
}

static bool
is_made_by_user(Oid funcid, void *context)
{
	return funcid >= FirstNormalObjectId;
}

/* Functions and tables that are looked for in a query. */
typedef struct Search
{
	bool		(*functions) (Oid funcid, void *context);	/* calls of these */
	bool		tables;			/* and protected tables, and materialized views that ask, */
	Oid			self;			/* but for the one that is looked at: a view's query names it */
} Search;

static bool asks(Oid relid, Search search);

static bool
asks_walker(Node *node, Search *search)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *rte = (RangeTblEntry *) node;

		return search->tables && rte->rtekind == RTE_RELATION && rte->relid != search->self &&
			(dp_policy_is_protected(rte->relid) || asks(rte->relid, (Search) {.functions = is_made_by_user, .tables = true}));
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, asks_walker, search, QTW_EXAMINE_RTES_BEFORE);
	return check_functions_in_node(node, search->functions, NULL) ||
		expression_tree_walker(node, asks_walker, search);
}

/*
 * Does a materialized view have any of this in it, views looked through?  Others that it reads may
 * ask questions within any function that is not built in.
 */
static bool
asks(Oid relid, Search search)
{
	Relation	relation = get_rel_relkind(relid) == RELKIND_MATVIEW ? try_relation_open(relid, AccessShareLock) : NULL;
	Query	   *query = NULL;
	bool		found = false;
	ListCell   *lc;

	check_stack_depth();
	if (relation == NULL)
		return false;
	if (relation->rd_rules && relation->rd_rules->numLocks == 1)
		query = copyObject(linitial_node(Query, relation->rd_rules->rules[0]->actions));
	relation_close(relation, NoLock);
	if (query == NULL)
		return false;
	search.self = relid;
	AcquireRewriteLocks(query, true, false);
	foreach(lc, QueryRewrite(query))
		found = found || asks_walker(lfirst(lc), &search);
	return found;
}

/*
 * Does an error come of a question that was not charged?  Cancelled statements, ended sessions, deadlocks,
 * locks that were not had in time and what should not happen are no answers to it.
 */
static bool
is_of_question(const Refreshed *view, const ErrorData *error, bool asked, bool charged)
{
	static const char unfilled[] = "materialized view \"%s\" has not been populated";
	int			category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	if (charged || category == ERRCODE_OPERATOR_INTERVENTION || category == ERRCODE_TRANSACTION_ROLLBACK ||
		category == ERRCODE_INTERNAL_ERROR || error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		return false;
	return asked ||
		asks(view->relid, (Search) {.functions = is_extensions,
									.tables = error->message_id && strcmp(error->message_id, unfilled) == 0});
}

/* Run the command, with all that it did undone if it fails; returns the error then, else NULL. */
static ErrorData *
try_to_run(void (*run) (void *), void *argument)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		run(argument);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return error;
}

/* Say that a view was not refreshed, and what to do about it. */
static void
warn(const Refreshed *view, const ErrorData *error)
{
	char	   *role = GetUserNameFromId(view->owner, true);

	ereport(WARNING,
			(errmsg("materialized view \"%s\" was not refreshed",
					quote_qualified_identifier(get_namespace_name(get_rel_namespace(view->relid)),
											   get_rel_name(view->relid))),
			 errdetail(view->populated ? "It keeps the rows it had: %s." : "It has no rows, and cannot be read: %s.",
					   error->message),
			 errhint(view->behind ? "Its owner, \"%s\", can refresh it after dp_agg.acknowledge_copy()." :
					 "Its owner, \"%s\", can refresh it.", role ? role : "?")));
}

static void
refresh_leniently(const Refreshed *view, void (*run) (void *), void *argument)
{
	DpMet		before = dp_tree_met;
	ErrorData  *error = try_to_run(run, argument);

	if (error == NULL)
		return;
	if (!is_of_question(view, error, dp_tree_met.questions != before.questions,
						dp_tree_met.charges != before.charges))
		ReThrowError(error);
	warn(view, error);
}

void
dp_statement_refresh(const RefreshMatViewStmt *command, void (*run) (void *), void *argument)
{
	const Refreshed *outer = refreshed;
	Refreshed	view;
	bool		found = look_at(command, &view);

	PG_TRY();
	{
		refreshed = found ? &view : NULL;
		if (found && is_lenient(&view))
			refresh_leniently(&view, run, argument);
		else
			run(argument);
	}
	PG_FINALLY();
	{
		refreshed = outer;
	}
	PG_END_TRY();
}
