/* SPDX-License-Identifier: PostgreSQL */
/*
 * stage.c
 *	  Blocks that read what other blocks of their statement release.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/inval.h"

#include "base/compat_executor.h"
#include "draw/read_public.h"
#include "draw/release_state.h"
#include "exact/planning.h"
#include "policy/policy.h"
#include "pricing/block_rewrite.h"
#include "rewrite/null_above.h"
#include "statement/stage.h"
#include "tree/make_nodes.h"
#include "tree/public_params.h"
#include "tree/reason.h"

/* The statement whose releases are being read, the innermost; or NULL. */
static const DpOpening *reading = NULL;

static bool
holds_answer(const DpReleaseState *state)
{
	return state->store || state->kept;
}

/* The node of the statement that holds this release; NULL if none does, by now. */
static DpReleaseState *
find_drawn(const DpOpening *opening, int number)
{
	ListCell   *lc;

	foreach(lc, opening->nodes)
	{
		DpReleaseState *state = lfirst(lc);

		if (state->number == number && holds_answer(state))
			return state;
	}
	return NULL;
}

/* Is all there that a query reads, if these values are known? */
static bool
can_read(const DpOpening *opening, const Query *query, const Bitmapset *known)
{
	Bitmapset  *releases = dp_tree_releases_read(query);
	int			number = -1;

	if (!bms_is_subset(dp_tree_values_mentioned(query), known))
		return false;
	while ((number = bms_next_member(releases, number)) >= 0)
		if (find_drawn(opening, number) == NULL)
			return false;
	return true;
}

/* Raise an error if a column that a query names is not what it was when the query was parsed. */
static bool
check_columns_walker(Node *node, void *source)
{
	DpReason   *reason;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, check_columns_walker, source);
	reason = dp_policy_check_columns((Query *) node, -1);
	if (reason)
		dp_tree_raise(reason, source);
	return query_tree_walker((Query *) node, check_columns_walker, source, 0);
}

/* Read these, with the statement's releases in sight. */
static void
read_queries(DpOpening *opening, const Bitmapset *which)
{
	const DpOpening *outer = reading;

	reading = opening;
	PG_TRY();
	{
		opening->values = dp_draw_read_public(dp_statement_reads_of(opening), which, opening->values, opening->estate);
	}
	PG_FINALLY();
	{
		reading = outer;
	}
	PG_END_TRY();
}

void
dp_statement_read_values(DpOpening *opening)
{
	Bitmapset  *which = NULL;
	Bitmapset  *known = NULL;
	List	   *next = NIL;
	int			first = 0;
	ListCell   *lc;

	foreach(lc, dp_statement_reads_of(opening))
	{
		Query	   *query = lfirst_node(Query, lc);
		int			columns = list_length(query->targetList);
		bool		read = bms_is_member(foreach_current_index(lc), opening->queries_read);

		if (!read && can_read(opening, query, known))
		{
			which = bms_add_member(which, foreach_current_index(lc));
			next = lappend(next, query);
			read = true;
		}
		if (read)
			known = bms_add_range(known, first, first + columns - 1);
		first += columns;
	}
	dp_statement_lock_relations((Node *) next);
	AcceptInvalidationMessages();
	(void) check_columns_walker((Node *) next, unconstify(char *, opening->estate->es_sourceText));
	SetUserIdAndSecContext(opening->role, opening->security | SECURITY_LOCAL_USERID_CHANGE);
	read_queries(opening, which);
	SetUserIdAndSecContext(opening->role, opening->security);
	opening->queries_read = bms_join(opening->queries_read, which);
}

/* Are all values known that a node reads? */
static bool
has_values(const DpOpening *opening, const DpReleaseState *state)
{
	for (int i = 0; i < state->reads; i++)
		if (i >= list_length(opening->values) || list_nth(opening->values, i) == NULL)
			return false;
	return true;
}

List *
dp_statement_next_stage(const DpOpening *opening, List **later)
{
	List	   *next = NIL;
	ListCell   *lc;

	*later = NIL;
	foreach(lc, opening->nodes)
	{
		DpReleaseState *state = lfirst(lc);

		if (holds_answer(state))
			continue;
		if (has_values(opening, state))
			next = lappend(next, state);
		else
			*later = lappend(*later, state);
	}
	if (next == NIL)
		elog(ERROR, "blocks of a statement wait for each other");
	return next;
}

/* Blocks of a statement, by their numbers, as far as a plan that reads their releases needs to know them. */
static List *
blocks_of(const DpOpening *opening)
{
	List	   *blocks = NIL;
	ListCell   *lc;

	foreach(lc, opening->nodes)
	{
		const DpReleaseState *state = lfirst(lc);
		DpRewrittenBlock *entry = palloc0(sizeof(DpRewrittenBlock));

		entry->block = unconstify(DpBlock *, state->block);
		entry->exact = state->exact;
		entry->rows = state->css.ss.ps.plan->plan_rows;
		while (list_length(blocks) <= state->number)
			blocks = lappend(blocks, NULL);
		list_nth_cell(blocks, state->number)->ptr_value = entry;
	}
	return blocks;
}

PlannedStmt *
dp_statement_plan_above(const DpPlanning *what, planner_hook_type planner, Query *query, const char *source, int cursor_options,
						ParamListInfo params)
{
	dp_tree_make_walkable(query);
	dp_rewrite_null_above(query);
	return dp_exact_plan_as(what, planner, query, source, cursor_options, params);
}

PlannedStmt *
dp_statement_plan_reader(planner_hook_type planner, Query *query, const char *source, int cursor_options,
						 ParamListInfo params)
{
	DpPlanning	what = {.location = -1};
	PlannedStmt *plan;

	if (reading == NULL || dp_tree_releases_read(query) == NULL)
		return NULL;
	what.blocks = blocks_of(reading);
	what.reads_of = dp_statement_number_of(reading, DP_ORIGIN_STATEMENT);
	plan = dp_statement_plan_above(&what, planner, query, source, cursor_options, params);
	plan->dependsOnRole = true;
	return plan;
}

bool
dp_statement_join_opening(List *nodes)
{
	ListCell   *lc;

	if (nodes == NIL || ((DpReleaseState *) linitial(nodes))->reads_of == 0)
		return false;
	foreach(lc, nodes)
	{
		DpReleaseState *state = lfirst(lc);

		if (reading && state->reads_of == dp_statement_number_of(reading, DP_ORIGIN_STATEMENT))
			state->source = find_drawn(reading, state->number);
		if (state->source == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("differentially private release was not paid for")));
	}
	return true;
}
