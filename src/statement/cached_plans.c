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

#include "draw/invalidation.h"
#include "reuse/question.h"
#include "statement/cached_plans.h"

/* Most statements; then all are forgotten. */
#define MOST_KEPT 64

typedef struct Kept
{
	uint64		statement;
	DpKept		kept;			/* plans are NIL: opened once */
} Kept;

static MemoryContext context = NULL;
static Kept entries[MOST_KEPT];
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

static Kept *
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
dp_statement_opened_before(uint64 statement, DpKept *kept)
{
	const Kept *entry = find(statement);

	*kept = entry ? entry->kept : (DpKept) {0};
	return entry != NULL;
}

void
dp_statement_note_opened(uint64 statement)
{
	if (find(statement))
		return;
	if (nentries == MOST_KEPT)
		forget_all();
	entries[nentries++] = (Kept) {.statement = statement};
}

static MemoryContext
kept_context(void)
{
	if (context == NULL)
		context = AllocSetContextCreate(TopMemoryContext, "dp_agg kept plans",
										ALLOCSET_DEFAULT_SIZES);
	return context;
}

void
dp_statement_keep_questions(uint64 statement, const List *questions)
{
	Kept	   *entry = find(statement);
	MemoryContext old;
	ListCell   *lc;

	if (entry == NULL || entry->kept.questions != NIL)
		return;
	old = MemoryContextSwitchTo(kept_context());
	foreach(lc, questions)
		entry->kept.questions = lappend(entry->kept.questions, lfirst(lc) ? dp_reuse_copy_question(lfirst(lc)) : NULL);
	MemoryContextSwitchTo(old);
}

void
dp_statement_keep_plans(uint64 statement, const DpKept *made)
{
	Kept	   *entry = find(statement);
	MemoryContext old;

	if (entry == NULL)
		return;
	old = MemoryContextSwitchTo(kept_context());
	entry->kept.plans = copyObject(made->plans);
	entry->kept.key_plans = copyObject(made->key_plans);
	entry->kept.releases = palloc(VARSIZE(made->releases));
	memcpy(entry->kept.releases, made->releases, VARSIZE(made->releases));
	MemoryContextSwitchTo(old);
}

void
dp_statement_note_filled(uint64 statement, uint64 cache_changes)
{
	Kept	   *entry = find(statement);

	if (entry && entry->kept.plans != NIL)
		entry->kept.filled = cache_changes;
}
