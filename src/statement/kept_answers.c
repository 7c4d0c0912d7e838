/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_answers.c
 *	  Showing kept answers again, and keeping new ones.
 */
#include "postgres.h"

#include "common/int.h"
#include "executor/executor.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "base/settings.h"
#include "base/usage.h"
#include "budget/kept/kept.h"
#include "draw/added_up.h"
#include "draw/draw_groups.h"
#include "draw/public_contents.h"
#include "draw/release_state.h"
#include "kept/cells.h"
#include "kept/packed_rows.h"
#include "kept/question.h"
#include "kept/shape.h"
#include "pricing/asked.h"
#include "pricing/block.h"
#include "statement/charge.h"
#include "statement/kept_answers.h"

/* Have a node hold its question as long as it is there itself: EXPLAIN looks at it when all is read. */
static void
hold_question(DpReleaseState *state, const DpQuestion *question)
{
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

	state->question = question ? dp_kept_copy_question(question) : NULL;
	MemoryContextSwitchTo(old);
}

static void
ask(DpReleaseState *state)
{
	hold_question(state, dp_kept_question(state->block, state->exact, state->list_keys));
}

/* What catalogs are read for it depends on what the session has read before: it is not counted. */
List *
dp_statement_ask(List *nodes, List *known)
{
	DpUsage		usage = dp_usage_now();
	List	   *questions = NIL;
	bool		last = true;
	ListCell   *lc;

	foreach(lc, nodes)
	{
		DpReleaseState *state = lfirst(lc);

		if (known != NIL)
			hold_question(state, list_nth(known, foreach_current_index(lc)));
		else
			ask(state);
		questions = lappend(questions, unconstify(DpQuestion *, state->question));
		last = last && (state->question == NULL || state->question->lasts);
	}
	dp_usage_take_back(&usage);
	return last ? questions : NIL;
}

/* From when on a kept answer is young enough; false if none is. */
static bool
young_since(TimestampTz *since)
{
	TimestampTz now = GetCurrentTimestamp();

	if (dp_settings_kept_max_age <= 0)
		return false;
	if (pg_sub_s64_overflow(now, dp_settings_kept_max_age, since))
		*since = DT_NOBEGIN;
	return true;
}

/* The kept answer for a node that may be shown; false if there is none. */
static bool
find_kept(const DpReleaseState *state, const DpBudgetId *budget, DpKept *kept)
{
	TimestampTz since;

	return state->question && young_since(&since) &&
		dp_budget_kept_find(budget, state->question->digest, since, kept);
}

/* Learn from the first row of a kept answer which max_groups had been chosen for it. */
static void
learn_choice(DpReleaseState *state)
{
	int			natts = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor->natts;
	Datum	   *values = palloc(natts * sizeof(Datum));
	bool	   *isnull = palloc(natts * sizeof(bool));
	int			class = -1;

	if (dp_kept_next_packed(state->kept, values, isnull))
		class = dp_draw_chosen_class(state->block, values, isnull);
	if (class >= 0)
		dp_draw_set_chosen(state, class);
	dp_kept_rewind_packed(state->kept);
}

/* Have a node hold the answer that is kept for it; false if none is. */
static bool
replay(DpReleaseState *state, const DpBudgetId *budget)
{
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	DpKept		kept;
	bool		found = find_kept(state, budget, &kept);

	if (found)
		state->kept = dp_kept_open_packed(kept.released, state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor,
										  state->question->columns);
	MemoryContextSwitchTo(old);
	if (!found)
		return false;
	state->kept_since = kept.asked_at;
	if (dp_pricing_chooses_groups(state->block))
		learn_choice(state);
	dp_budget_kept_replayed(budget, state->block->dataset, state->question->digest);
	return true;
}

/* Have a node hold what is added up from a kept answer of finer groups; false if there is none. */
static bool
add_up(DpReleaseState *state, const DpBudgetId *budget)
{
	DpKeptFiner finer;
	TimestampTz since;

	if (dp_settings_kept_rollup <= 0 || !young_since(&since) ||
		!dp_draw_add_up(state, state->spelled_cells, budget, since, &finer))
		return false;
	dp_budget_kept_replayed(budget, state->block->dataset, finer.question);
	return true;
}

/*
 * Say what the groups of a node for which nothing is kept are made of, if that may be of use:
 * to add them up, or to keep it with their answer.
 */
static void
spell_cells(DpReleaseState *state)
{
	DpUsage		usage = dp_usage_now();

	if (state->cells && dp_budget_kept_is_on() && (dp_settings_kept_rollup > 0 || state->block->nkeys > 0))
		state->spelled_cells = dp_kept_cells(state->block, state->cells);
	dp_usage_take_back(&usage);
}

/* Read what the tables hold that list the keys of a node which is to be drawn, to keep that with its answer. */
static void
note_contents(DpReleaseState *state)
{
	if (state->block->listed && state->question && state->spelled_cells)
		state->spelled_cells->contents = dp_draw_read_contents(state, state->spelled_cells);
}

#ifdef USE_ASSERT_CHECKING
/* Is the question of a node there as long as the node? */
static bool
holds_question(const DpReleaseState *state)
{
	return GetMemoryChunkContext(unconstify(DpQuestion *, state->question)) == state->css.ss.ps.state->es_query_cxt;
}
#endif

/* The node among these that asks the same; NULL if there is none. */
static DpReleaseState *
find_twin(List *nodes, const DpReleaseState *state)
{
	ListCell   *lc;

	foreach(lc, nodes)
	{
		DpReleaseState *other = lfirst(lc);

		if (state->question == NULL || other->question == NULL)
			continue;
		Assert(holds_question(state) && holds_question(other));
		if (memcmp(state->question->digest, other->question->digest, DP_QUESTION_BYTES) == 0)
			return other;
	}
	return NULL;
}

List *
dp_statement_replay(List *nodes, Oid payer, bool paid)
{
	const char *dataset = ((DpReleaseState *) linitial(nodes))->block->dataset;
	DpBudgetId	budget;
	bool		known = !paid && dp_settings_kept_max_age > 0 && dp_budget_kept_of(payer, dataset, &budget);
	List	   *left = NIL;
	ListCell   *lc;

	foreach(lc, nodes)
	{
		DpReleaseState *state = lfirst(lc);

		if (known && replay(state, &budget))
			continue;
		spell_cells(state);
		if (known && add_up(state, &budget))
			continue;
		state->twin = dp_settings_kept_max_age > 0 ? find_twin(left, state) : NULL;
		if (state->twin)
			continue;
		note_contents(state);
		left = lappend(left, state);
	}
	return left;
}

/* Have a node read what its twin drew, whose columns may be in another order. */
static void
read_twin(DpReleaseState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	TupleDesc	desc = state->twin->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;

	state->twin_column = palloc(desc->natts * sizeof(int));
	for (int i = 0; i < desc->natts; i++)
		state->twin_column[list_nth_int(state->question->columns, i)] =
			list_nth_int(state->twin->question->columns, i);
	if (state->twin->drawn)
		dp_draw_set_chosen(state, state->twin->drawn->release[state->twin->block->chooser].chosen);
	state->store = state->twin->store;
	state->reader = tuplestore_alloc_read_pointer(state->store, EXEC_FLAG_REWIND);
	state->store_slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	tuplestore_select_read_pointer(state->store, state->reader);
	tuplestore_rescan(state->store);
	MemoryContextSwitchTo(old);
}

void
dp_statement_share(List *nodes, const DpBalance *balance)
{
	ListCell   *lc;

	foreach(lc, nodes)
	{
		DpReleaseState *state = lfirst(lc);

		if (state->twin == NULL)
			continue;
		state->kept_since = balance->receipt.at;
		read_twin(state);
	}
}

List *
dp_statement_unpaid(List *nodes, Oid payer)
{
	List	   *unpaid = NIL;
	ListCell   *lc;

	foreach(lc, nodes)
	{
		DpReleaseState *state = lfirst(lc);

		if (dp_statement_kept_since(state, payer) == 0 &&
			(dp_settings_kept_max_age <= 0 || find_twin(unpaid, state) == NULL))
			unpaid = lappend(unpaid, state);
	}
	return unpaid;
}

/* The answer that a node holds, to be kept; NULL if it is not. */
static DpKeptAnswer *
answer_of(DpReleaseState *state, const DpBalance *balance)
{
	DpKeptAnswer *answer = palloc0(sizeof(DpKeptAnswer));

	if (state->question == NULL)
		return NULL;
	answer->released = dp_kept_pack_rows(state->store, state->store_slot, state->question->columns, &answer->rows);
	state->unkept = answer->released == NULL;
	if (state->unkept)
		return NULL;
	answer->budget = balance->budget;
	answer->payer = balance->payer;
	strlcpy(answer->dataset, state->block->dataset, NAMEDATALEN);
	answer->receipt = balance->receipt;
	memcpy(answer->question, state->question->digest, DP_QUESTION_BYTES);
	answer->asked = dp_pricing_asked_text(state->asked, state->block);
	answer->relations = state->question->relations;
	answer->shape = state->spelled_cells ?
		dp_kept_pack_shape(state->block, state->spelled_cells, state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor,
						   state->question->columns) : NULL;
	if (answer->shape)
		memcpy(answer->base, state->spelled_cells->base.bytes, DP_QUESTION_BYTES);
	return answer;
}

void
dp_statement_keep(List *nodes, const DpBalance *balance)
{
	DpUsage		usage = dp_usage_now();
	List	   *answers = NIL;
	ListCell   *lc;

	if (!dp_budget_kept_is_on())
		return;
	foreach(lc, nodes)
	{
		DpKeptAnswer *answer = answer_of(lfirst(lc), balance);

		if (answer)
			answers = lappend(answers, answer);
	}
	if (answers != NIL)
		dp_budget_kept_send(answers);
	dp_usage_take_back(&usage);
}

TimestampTz
dp_statement_kept_since(DpReleaseState *state, Oid payer)
{
	DpBudgetId	budget;
	DpKept		kept;
	DpKeptFiner finer;
	TimestampTz since;

	if (state->store || state->kept || state->looked_for || !young_since(&since))
		return state->kept_since;
	state->looked_for = true;
	ask(state);
	if (!dp_budget_kept_of(payer, state->block->dataset, &budget))
		return 0;
	if (find_kept(state, &budget, &kept))
		state->kept_since = kept.asked_at;
	else if (dp_settings_kept_rollup > 0)
		(void) dp_draw_find_finer(state, dp_kept_cells(state->block, state->cells), &budget, since, &finer);
	return state->kept_since;
}
