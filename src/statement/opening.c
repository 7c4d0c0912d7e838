/* SPDX-License-Identifier: PostgreSQL */
/*
 * opening.c
 *	  From the first fetch of a release to the last row read for it.
 *
 * 1. Read what the blocks take from public rows and code (read_public.c), if anything.
 * 2. Lock the relations and types that the exact queries know.
 * 3. If anything was invalidated since the statement was validated, validate it again (revalidate.c); and
 *    once more with what was read.
 * 4. Look for kept answers, for the role that pays.  Nothing of what follows is done for those.
 * 5. Plan the exact queries, or take the cached ones.
 * 6. If anything was invalidated meanwhile, validate it again.
 * 7. Read the keys that public tables list, and how many rows of theirs a join can make of one.
 * 8. Charge: one charge, committed by the keeper.
 * 9. Read the protected rows, and keep what is released of them.
 *
 * All of it is done as the role that started the statement, under its snapshot.  Neither
 * validation nor planning runs code that is not built in (fold_constants.c, stored_code.c), so none
 * of the analyst's lies between the check and the last row: it has run in step 1.  From step 2 on the
 * hooks of other extensions are set aside (alone.h), at whatever moment a portal is run: there may be no
 * statement that they know of.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "storage/lmgr.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "base/compat_executor.h"
#include "base/meter.h"
#include "base/settings.h"
#include "budget/keeper/client.h"
#include "budget/rows/rows_as_of.h"
#include "draw/invalidation.h"
#include "draw/read_listed_keys.h"
#include "draw/release.h"
#include "draw/release_state.h"
#include "draw/run_plan.h"
#include "exact/exact_plan.h"
#include "exact/fan_out.h"
#include "expression/null_on_error.h"
#include "pricing/block.h"
#include "sidechannel/alone.h"
#include "sidechannel/enum_labels.h"
#include "statement/cached_plans.h"
#include "statement/charge.h"
#include "statement/kept_answers.h"
#include "statement/noise_notice.h"
#include "statement/notices.h"
#include "statement/opening.h"
#include "statement/public_keys.h"
#include "statement/refresh.h"
#include "statement/revalidate.h"
#include "statement/stage.h"
#include "statement/running_openings.h"
#include "statement/statement_text.h"
#include "tree/met.h"
#include "tree/public_params.h"

/* Room on the stack for validation, planning and what the exact plan does with a row. */
#define STACK_ROOM (64 * 1024)

static bool
check_rights_walker(Node *node, void *context)
{
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, check_rights_walker, context);
	foreach(lc, ((Query *) node)->rtable)
		if (OidIsValid(lfirst_node(RangeTblEntry, lc)->relid))
			dp_statement_require_relation(lfirst_node(RangeTblEntry, lc)->relid);
	dp_compat_check_query((Query *) node);
	return query_tree_walker((Query *) node, check_rights_walker, context, 0);
}

/* Check the rights to all that releases read, and to what their statement takes from public rows. */
static void
check_rights(void *nodes)
{
	ListCell   *lc;

	foreach(lc, (List *) nodes)
	{
		const DpReleaseState *state = lfirst(lc);

		(void) check_rights_walker((Node *) dp_draw_release_queries(state), NULL);
		if (state->origin)
			(void) check_rights_walker(list_nth(state->origin, DP_ORIGIN_READS), NULL);
	}
}

void
dp_statement_start_releases(QueryDesc *query_desc, List *nodes, int eflags)
{
	DpOpening  *opening;
	ListCell   *lc;

	if (nodes == NIL || dp_statement_join_opening(nodes))
		return;
	dp_sidechannel_run_alone(check_rights, nodes);
	opening = MemoryContextAllocZero(query_desc->estate->es_query_cxt, sizeof(DpOpening));
	opening->nodes = nodes;
	opening->estate = query_desc->estate;
	opening->part = dp_statement_statement_part(query_desc->estate);
	opening->payer = GetOuterUserId();
	GetUserIdAndSecContext(&opening->role, &opening->security);
	opening->rows_as_of = dp_budget_rows_as_of();
	foreach(lc, nodes)
	{
		DpReleaseState *state = lfirst(lc);

		state->opening = opening;
		if (state->origin)
			opening->origin = state->origin;
	}
	if (opening->origin == NIL)
		elog(ERROR, "a plan with releases does not say where they came from");
	opening->explained = (eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0;
	if (!opening->explained)
		dp_statement_note_running(opening);
}

List *
dp_statement_nodes_of(const DpOpening *opening, Oid *payer)
{
	*payer = opening->payer;
	return opening->nodes;
}

/* Lock what the exact queries know, and learn what others did to it before. */
static void
lock_all(const DpOpening *opening)
{
	ListCell   *lc;

	foreach(lc, opening->nodes)
	{
		DpReleaseState *state = lfirst(lc);

		dp_statement_lock_relations((Node *) state->exact);
		dp_statement_lock_relations((Node *) state->list_keys);
		dp_sidechannel_hold_enums(state->enums);
	}
	AcceptInvalidationMessages();
}

/* Plan what some nodes run: the exact query, and what lists its keys, if anything does. */
static DpCachedPlans
plan_all(List *nodes)
{
	DpCachedPlans made = {.releases = dp_statement_releases_of(nodes)};
	ListCell   *lc;

	foreach(lc, nodes)
	{
		DpReleaseState *state = lfirst(lc);

		made.plans = lappend(made.plans, dp_exact_plan_exact(state->block, state->exact, NULL, -1));
		made.key_plans = lappend(made.key_plans, state->list_keys ?
								 dp_exact_plan_exact(state->block, state->list_keys, NULL, -1) : NULL);
	}
	return made;
}

/* Lock what plans read, partitions too, which the planner locked when it made them. */
static void
lock_plans(List *plans)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, plans)
		foreach(lc2, lfirst(lc) ? lfirst_node(PlannedStmt, lc)->rtable : NIL)
		{
			const RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc2);

			if (rte->rtekind == RTE_RELATION)
				LockRelationOid(rte->relid, rte->rellockmode);
		}
}

/* Lock what cached plans read.  Has nothing changed until then? */
static bool
lock_cached(const DpCachedPlans *cached, uint64 now)
{
	lock_plans(cached->plans);
	lock_plans(cached->key_plans);
	AcceptInvalidationMessages();
	return dp_draw_invalidations() == now;
}

/* Result of revalidation: change counter and cached plans. */
typedef struct Meaning
{
	uint64		now;			/* number of changes until then */
	bool		opened;			/* was it opened before, with nothing changed since? */
	DpCachedPlans cached;		/* then */
} Meaning;

/* Have the statement be as it was validated, if anything changed since. */
static Meaning
settle_meaning(const DpOpening *opening)
{
	Meaning		meaning = {.now = dp_draw_invalidations()};

	/* What a statement reads anew each time makes another plan and question of it. */
	if (dp_statement_reads_of(opening) == NIL)
		meaning.opened = dp_statement_opened_before(dp_statement_number_of(opening, DP_ORIGIN_STATEMENT), &meaning.cached);
	if (!dp_statement_has_settings(opening))
		dp_statement_validate_again(opening);
	if (!meaning.opened && dp_statement_number_of(opening, DP_ORIGIN_INVALIDATIONS) != meaning.now)
		dp_statement_validate_again(opening);
	return meaning;
}

/* Plans for some nodes, made of what is validated, with nothing changed since. */
static DpCachedPlans
settle_plans(const DpOpening *opening, List *nodes, const Meaning *meaning)
{
	uint64		statement = dp_statement_number_of(opening, DP_ORIGIN_STATEMENT);
	bool		all = list_length(nodes) == list_length(opening->nodes);
	bool		changed;
	DpCachedPlans cached;

	if (all && meaning->cached.plans != NIL && lock_cached(&meaning->cached, meaning->now))
	{
		cached = meaning->cached;

		/* What the ledger is told has the questions in it. */
		if (cached.questions == NIL)
			cached.releases = dp_statement_releases_of(nodes);
		return cached;
	}
	cached = plan_all(nodes);
	changed = dp_draw_invalidations() != meaning->now;
	if (changed)
		dp_statement_validate_again(opening);
	else if (all && meaning->opened)
		dp_statement_cache_plans(statement, &cached);
	else
		dp_statement_note_opened(statement);
	return cached;
}

/*
 * JIT as PostgreSQL's settings have it for the statement, whatever its exact
 * queries cost.
 */
static void
take_jit(List *plans, const EState *estate)
{
	ListCell   *lc;

	foreach(lc, plans)
		if (lfirst(lc))
			lfirst_node(PlannedStmt, lc)->jitFlags = estate->es_jit_flags;
}

/*
 * Raise an error if public tables would multiply rows by more than is set: those of which it is known already what they
 * are joined by, or all.
 */
static void
check_fan_outs(const DpReleaseState *state, const EState *estate, bool known)
{
	ListCell   *lc;

	foreach(lc, state->checks)
	{
		Query	   *check = lfirst_node(Query, lc);

		if (known && (dp_tree_values_mentioned(check) != NULL || dp_tree_releases_read(check) != NULL))
			continue;
		if (dp_statement_has_row(state->block, check, estate))
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("joining \"%s\" makes more rows of one than max_join_rows allows",
							linitial_node(RangeTblEntry, check->rtable)->eref->aliasname),
					 errhint("%s", dp_exact_fan_out_hint("Join it by more of its columns or add conditions on it",
														 intVal(lthird(state->join)), intVal(lfourth(state->join))))));
	}
}

/* Tell what anybody who asks should know, before the first answer. */
static void
tell(const DpOpening *opening)
{
	if (dp_statement_number_of(opening, DP_ORIGIN_PLAIN))
		dp_statement_tell_of_noise(opening->nodes);
	dp_statement_tell_of_bounds(opening->nodes);
}

static Node *
fold_mutator(Node *node, void *context)
{
	if (node && IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, fold_mutator, context, 0);
	return eval_const_expressions(NULL, node);
}

/*
 * Compute what is constant in the exact queries of nodes that are drawn after the charge, as the planner will:
 * functions that fail on constants do so before it.
 */
static void
fold_queries(List *nodes)
{
	ListCell   *lc;

	foreach(lc, nodes)
		(void) fold_mutator((Node *) ((DpReleaseState *) lfirst(lc))->exact, NULL);
}

/* Pay for some nodes, and for those that are drawn after them, whatever is released until then. */
static void
pay(DpOpening *opening, List *nodes, List *later, const Jsonb *releases)
{
	ListCell   *lc;

	foreach(lc, later)
	{
		((DpReleaseState *) lfirst(lc))->reads_released = true;
		check_fan_outs(lfirst(lc), opening->estate, true);
	}
	if (later != NIL)
	{
		fold_queries(later);
		nodes = list_concat_copy(nodes, later);
		releases = dp_statement_releases_of(nodes);
	}
	/* A statement that has been paid for is answered. */
	dp_meter_stop(CurrentMemoryContext);
	if (opening->rows_as_of != 0)
		releases = dp_budget_note_rows_as_of(releases, opening->rows_as_of);
	dp_statement_charge(nodes, opening->payer, releases, dp_statement_statement_text(&opening->part), &opening->balance);
	opening->charged = true;
	tell(opening);
}

/* Plan, pay for and read some nodes of a stage. */
static void
draw(DpOpening *opening, List *stage, List *nodes, List *later, const Meaning *meaning)
{
	DpCachedPlans settled;
	uint64		cache_changes;
	ListCell   *lc;
	ListCell   *lc2;

	if (!opening->charged)
		dp_statement_seek_keys(opening);
	settled = settle_plans(opening, nodes, meaning);
	take_jit(settled.plans, opening->estate);
	take_jit(settled.key_plans, opening->estate);
	foreach(lc, nodes)
		check_fan_outs(lfirst(lc), opening->estate, false);
	forboth(lc, nodes, lc2, settled.key_plans)
		if (lfirst(lc2))
			((DpReleaseState *) lfirst(lc))->keys = dp_draw_read_keys(lfirst(lc2), opening->estate);
	if (!opening->charged)
		pay(opening, nodes, later, settled.releases);
	cache_changes = dp_draw_cache_changes();
	forboth(lc, nodes, lc2, settled.plans)
		dp_draw_read_release(lfirst(lc), lfirst(lc2), settled.filled);
	dp_statement_note_filled(dp_statement_number_of(opening, DP_ORIGIN_STATEMENT), cache_changes);
	if (!opening->told_of_cut)
		opening->told_of_cut = dp_statement_tell_of_cut(nodes);
	dp_statement_keep(nodes, &opening->balance);
	dp_statement_share(stage, &opening->balance);
}

/* Every node of a stage holds a kept answer. */
static void
show_again(const DpOpening *opening, const Meaning *meaning)
{
	if (dp_draw_invalidations() != meaning->now)
		dp_statement_validate_again(opening);
	dp_statement_note_opened(dp_statement_number_of(opening, DP_ORIGIN_STATEMENT));
}

/* Every node holds an answer. */
static void
finish(DpOpening *opening)
{
	if (!opening->charged)
	{
		(void) dp_budget_peek(opening->payer, ((DpReleaseState *) linitial(opening->nodes))->block->dataset,
							  &opening->balance);
		tell(opening);
	}
	dp_statement_remember_release(opening->nodes, opening->payer, &opening->balance);
	opening->finished = true;
}

/* Refuse to have whoever runs a command pay for what another role's object asks. */
static void
raise_payer(const DpOpening *opening)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied to pay for a differentially private query of role \"%s\"",
					GetUserNameFromId(opening->role, false)),
			 errhint("Let the owner of the materialized view, index or table run the command, or SET ROLE to it.")));
}

/* Check everything, find what is kept of a stage, and draw the rest. */
static void
open_stage(void *arg)
{
	DpOpening  *opening = arg;
	bool		reads = dp_statement_reads_of(opening) != NIL;
	Meaning		meaning;
	List	   *stage;
	List	   *later;
	List	   *questions;
	List	   *left;

	lock_all(opening);
	meaning = settle_meaning(opening);
	if (reads)
		dp_statement_put_values(opening);
	stage = dp_statement_next_stage(opening, &later);
	questions = dp_statement_ask(stage, meaning.cached.questions);
	left = dp_statement_replay(stage, opening->payer, opening->charged);
	if (left == NIL)
		show_again(opening, &meaning);
	else if (opening->kept_only)
		raise_payer(opening);
	else
		draw(opening, stage, left, later, &meaning);
	if (later == NIL)
		finish(opening);
	if (reads)
		dp_statement_forget_values(opening);
	else
		dp_statement_cache_questions(dp_statement_number_of(opening, DP_ORIGIN_STATEMENT), questions);
}

/* Open one stage after the other.  Between them the analyst's code may run, as it may before the first. */
static void
open_stages(DpOpening *opening)
{
	while (!opening->finished)
	{
		if (dp_statement_reads_of(opening) != NIL)
			dp_statement_read_values(opening);
		dp_sidechannel_run_alone(open_stage, opening);
	}
}

static void
check_transaction(void)
{
	if (IsolationIsSerializable())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("differentially private queries are not allowed in SERIALIZABLE transactions"),
				 errhint("Use READ COMMITTED or REPEATABLE READ.")));
}

/*
 * In a security-restricted operation the code of whoever owns an object runs,
 * and its answers are the owner's: nobody else pays for them because of having
 * refreshed or analyzed it, autovacuum least of all.
 *
 * A materialized view may show what its owner has paid for already and what is kept, if
 * whoever refreshes it wants that.
 */
static void
settle_payer(DpOpening *opening)
{
	if (!(opening->security & SECURITY_RESTRICTED_OPERATION) || opening->role == opening->payer)
		return;
	if (dp_settings_kept_max_age <= 0 || opening->role != dp_statement_refresh_owner())
		raise_payer(opening);
	opening->payer = opening->role;
	opening->kept_only = true;
}

/*
 * Raise now, whatever the data, if there may be too little stack left for what
 * the exact plan does with a row.
 */
static pg_noinline void
require_stack(void)
{
	volatile char room[STACK_ROOM];

	room[0] = 0;
	check_stack_depth();
	(void) room[0];
}

void
dp_statement_open(DpOpening *opening)
{
	MemoryContext old = MemoryContextSwitchTo(opening->estate->es_query_cxt);
	MemoryContext work = dp_meter_start("dp_agg opening", opening->estate->es_sourceText);
	Oid			role;
	int			security;

	MemoryContextSwitchTo(work);
	if (opening->begun)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("differentially private release was not paid for")));
	opening->begun = true;
	dp_expression_note_opening();
	dp_tree_met.questions++;
	require_stack();
	check_transaction();
	settle_payer(opening);

	/* After an error, the end of the (sub)transaction takes these back. */
	GetUserIdAndSecContext(&role, &security);
	SetUserIdAndSecContext(opening->role, opening->security);
	PushActiveSnapshot(opening->estate->es_snapshot);
	open_stages(opening);
	dp_statement_look_for_drowned(opening);
	PopActiveSnapshot();
	SetUserIdAndSecContext(role, security);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

void
dp_statement_open_running(const EState *estate)
{
	DpOpening  *opening = dp_statement_opening_in(estate->es_query_cxt);

	if (opening && !opening->begun)
		dp_statement_open(opening);
}

void
dp_statement_discard_session(void)
{
	dp_statement_forget_notices();
	dp_statement_forget_release();
}
