/*
 * answer_note.c
 *	  What can be said of an answer beside its price.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "budget/answers/kept.h"
#include "pricing/block.h"
#include "pricing/count_tree.h"
#include "statement/answer_note.h"

/* How many rows a block has for sure. */
static int64
least_rows(const DpBlock *block)
{
	int			width[DP_MAX_TREE_LEVELS];
	int64		rows = 0;

	if (block->form == DP_FORM_GROUPS)
		return block->domain;
	if (block->form == DP_FORM_SYNTHESIS)
		return Max(block->size, 1);
	if (block->form != DP_FORM_TREE)
		return 0;
	for (int level = dp_query_tree_widths(block->domain, block->size, width); level-- > 0;)
		rows += width[level];
	return rows;
}

const char *
dp_query_answer_note(const DpReleaseState *state, TimestampTz kept_since)
{
	if (state->added > 0)
		return psprintf("added up from %d %s kept since %s, no charge", state->added,
						state->added == 1 ? "group" : "groups", timestamptz_to_str(kept_since));
	if (kept_since != 0)
		return psprintf("kept since %s, no charge", timestamptz_to_str(kept_since));
	if (state->unkept || least_rows(state->block) > DP_KEPT_MOST_ROWS)
		return psprintf("not kept: more than %d rows or %d MB", DP_KEPT_MOST_ROWS,
						DP_KEPT_MOST_BYTES / (1024 * 1024));
	return NULL;
}
