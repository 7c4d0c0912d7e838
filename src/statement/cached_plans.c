/* SPDX-License-Identifier: PostgreSQL */
/*
 * cached_plans.c
 *	  Plans of exact queries that a session keeps for statements it runs again.
 *
 * A statement that is planned anew has a number that was never used before, and its
 * plans are kept no earlier than the second time that it is opened: what is run once
 * costs no copies.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "base/compat_varlena.h"
#include "draw/invalidation.h"
#include "kept/question.h"
#include "statement/cached_plans.h"

/* Most statements; then all are forgotten. */
#define MOST_STATEMENTS 64

typedef struct CachedStatement
{
	uint64		statement;
	DpCachedPlans cached;		/* plans are NIL: opened once */
} CachedStatement;

static MemoryContext context = NULL;
static CachedStatement entries[MOST_STATEMENTS];
static int	nentries = 0;
static uint64 good_until = 0;	/* the number of changes that all this is good for */

static void
forget_all(void)
{
	nentries = 0;
	if (context)
		MemoryContextReset(context);
	good_until = dp_draw_invalidations();
}

static CachedStatement *
find(uint64 statement)
{
	if (good_until != dp_draw_invalidations())
		forget_all();
	for (int i = 0; i < nentries; i++)
		if (entries[i].statement == statement)
			return &entries[i];
	return NULL;
}

bool
dp_statement_opened_before(uint64 statement, DpCachedPlans *cached)
{
	const CachedStatement *entry = find(statement);

	*cached = entry ? entry->cached : (DpCachedPlans) {0};
	return entry != NULL;
}

void
dp_statement_note_opened(uint64 statement)
{
	if (find(statement))
		return;
	if (nentries == MOST_STATEMENTS)
		forget_all();
	entries[nentries++] = (CachedStatement) {.statement = statement};
}

static MemoryContext
cache_context(void)
{
	if (context == NULL)
		context = AllocSetContextCreate(TopMemoryContext, "dp_agg cached plans",
										ALLOCSET_DEFAULT_SIZES);
	return context;
}

void
dp_statement_cache_questions(uint64 statement, const List *questions)
{
	CachedStatement *entry = find(statement);
	MemoryContext old;
	ListCell   *lc;

	if (entry == NULL || entry->cached.questions != NIL)
		return;
	old = MemoryContextSwitchTo(cache_context());
	foreach(lc, questions)
		entry->cached.questions = lappend(entry->cached.questions, lfirst(lc) ? dp_kept_copy_question(lfirst(lc)) : NULL);
	MemoryContextSwitchTo(old);
}

void
dp_statement_cache_plans(uint64 statement, const DpCachedPlans *made)
{
	CachedStatement *entry = find(statement);
	MemoryContext old;

	if (entry == NULL)
		return;
	old = MemoryContextSwitchTo(cache_context());
	entry->cached.plans = copyObject(made->plans);
	entry->cached.key_plans = copyObject(made->key_plans);
	entry->cached.releases = palloc(VARSIZE(made->releases));
	memcpy(entry->cached.releases, made->releases, VARSIZE(made->releases));
	MemoryContextSwitchTo(old);
}

void
dp_statement_note_filled(uint64 statement, uint64 cache_changes)
{
	CachedStatement *entry = find(statement);

	if (entry && entry->cached.plans != NIL)
		entry->cached.filled = cache_changes;
}
