/* SPDX-License-Identifier: PostgreSQL */
/*
 * notices.c
 *	  Notices that come with answers: of noise once a session, others with each statement.
 */
#include "postgres.h"

#include <math.h>

#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "base/settings.h"
#include "budget/kept/kept.h"
#include "draw/added_up.h"
#include "draw/release_state.h"
#include "pricing/block.h"
#include "pricing/clipping.h"
#include "pricing/form_table.h"
#include "pricing/forms.h"
#include "pricing/half_width.h"
#include "pricing/kind.h"
#include "statement/notices.h"

/*
 * Notices about an answer, beside its price.
 */

/* How many rows a block has for sure. */
static int64
least_rows(const DpBlock *block)
{
	return dp_form(block)->least_rows ? dp_form(block)->least_rows(block) : 0;
}

const char *
dp_statement_answer_note(const DpReleaseState *state, TimestampTz kept_since)
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

/* Has who writes plain SQL been told of noise? */
static bool told_of_noise = false;

void
dp_statement_tell_of_noise(List *nodes)
{
	bool		private_groups = false;
	bool		added_up = false;
	ListCell   *lc;

	foreach(lc, nodes)
	{
		const DpBlock *block = ((DpReleaseState *) lfirst(lc))->block;

		private_groups |= block->selector >= 0;
		added_up |= block->selector >= 0 && block->added_up;
	}
	if (!told_of_noise)
		ereport(NOTICE,
				(errmsg("answers about protected tables carry noise"),
				 errhint("EXPLAIN shows its size and the price of a query, dp_agg.last_release() those of the last answer.")));
	if (added_up)
		ereport(NOTICE,
				(errmsg("groups of few people are missing from what is aggregated over groups, and bias it"),
				 errdetail("Counts, sums, means, extremes and shares of groups are those of groups of many people alone, and no interval shows it."),
				 errhint("count(DISTINCT ...) counts groups, and min and max without GROUP BY know all rows. Keys that are declared or that public tables list have all groups.")));
	else if (private_groups)
		ereport(NOTICE,
				(errmsg("groups of few people are not shown")));
	told_of_noise = true;
}

/* Rows and groups of a unit of this table that count, in words. */
static const char *
once_text(const DpBlock *block)
{
	const char *name = get_rel_name(block->table);

	if (!block->one_group)
		return psprintf("only one row of each privacy unit of \"%s\" counts%s", name,
						block->max_groups > 0 ? " in a group" : "");
	return block->one_row ? psprintf("only one row of each privacy unit of \"%s\" counts", name)
		: psprintf("each privacy unit of \"%s\" counts in one group only", name);
}

/* Hint: what the analyst can do about that. */
static const char *
bounds_hint(const DpBlock *block)
{
	bool		clips = block->one_row && dp_settings_clipping == DP_CLIPPING_FIXED;

	return psprintf("%s dp_agg.max_rows and dp_agg.max_groups; dp_agg.measure_bounding tells how much they cut, dp_agg.suggest_max_rows and suggest_max_groups have estimates.",
					clips ? "Set dp_agg.clipping to auto for counts, sums and means, or set" : "Set");
}

/* Say that a unit of this block counts once, as nobody declared or set more. */
static void
tell_of_once(const DpBlock *block)
{
	ereport(NOTICE,
			(errmsg_internal("%s", once_text(block)),
			 errdetail("Nobody declared or set more. Where units have more, answers are too small, and no interval shows it."),
			 errhint("%s", bounds_hint(block))));
}

/* Say that a join of this block may make more rows of a unit than count. */
static void
tell_of_join(const DpBlock *block)
{
	ereport(NOTICE,
			(errmsg("at most %d rows of each privacy unit of \"%s\" count%s, and its join may make more",
					block->cut_at, get_rel_name(block->table), block->nkeys > 0 ? " in a group" : ""),
			 errdetail("What is declared allows more rows of a unit in the join. Where units have more, answers are too small, and no interval shows it."),
			 errhint("Set dp_agg.max_rows to as many as count; dp_agg.max_join_rows is how many a join makes of one.")));
}

/* Say that a join makes fewer rows of one than it might, for the work of expressions over them. */
static void
tell_of_work(const DpReleaseState *state)
{
	if (state->join == NIL || intVal(lsecond(state->join)) == 0)
		return;
	ereport(NOTICE,
			(errmsg("joining %s makes at most %d rows of one here, fewer than max_join_rows",
					strVal(linitial(state->join)), (int) intVal(lsecond(state->join))),
			 errdetail("Expressions over more rows may take longer than a millisecond. Where a row meets more, answers are too small, and no interval shows it."),
			 errhint("%s", strVal(llast(state->join)))));
}

/* Say which constants are none of the keys of the columns that they are compared with. */
static void
tell_of_keys(const DpReleaseState *state)
{
	ListCell   *lc;

	foreach(lc, state->unknown_keys)
		if (IsA(lfirst(lc), String))
			ereport(NOTICE,
					(errmsg_internal("%s", strVal(lfirst(lc))),
					 errhint("dp_agg.protected_columns shows declared keys, and SELECT those of a public table; mind upper and lower case.")));
}

void
dp_statement_tell_of_bounds(List *nodes)
{
	List	   *told = NIL;		/* tables of which one of these is said */
	ListCell   *lc;

	foreach(lc, nodes)
	{
		const DpBlock *block = ((DpReleaseState *) lfirst(lc))->block;
		bool		once = block->one_row || block->one_group;

		if ((once || block->cut_at > 0) && !list_member_oid(told, block->table))
		{
			told = lappend_oid(told, block->table);
			if (once)
				tell_of_once(block);
			else
				tell_of_join(block);
		}
		tell_of_work(lfirst(lc));
		tell_of_keys(lfirst(lc));
	}
	list_free(told);
}

/*
 * How many rows a group needs so that 99 in 100 such groups have a quantile.  "None" is better than any point by `none` without rows, and
 * each row is a share of one against it; that it is drawn falls by e for each `scale`.
 */
static double
rows_with_quantile(const DpRelease *release)
{
	const DpNoise *noise = &release->noise[0];
	double		fraction = ldexp(release->rank.fraction, -release->rank.fraction_bits);
	double		scale = ldexp((double) noise->scale_num / noise->scale_den, noise->grid);
	double		none = ldexp((double) release->rank.none, release->rank.none_bits + noise->grid);

	return ceil((none + scale * log(100)) / Max(fraction, 1 - fraction));
}

bool
dp_statement_tell_of_withheld(const DpReleaseState *state, const TupleTableSlot *slot)
{
	const DpBlock *block = state->block;

	for (int i = 0; i < block->nreleases; i++)
	{
		const DpRelease *release = &block->release[i];

		if (!dp_kind(release)->is_rank || !slot->tts_isnull[release->column])
			continue;
		ereport(NOTICE,
				(errmsg("%s is NULL where noise does not tell rows from none", release->label),
				 errhint("Of groups of %.0f rows 99 in 100 have an answer. Ask for larger groups, with more epsilon, or for a larger step.",
						 rows_with_quantile(release))));
		return true;
	}
	return false;
}

/* What is cut is said to be far more than noise where it may be so many half widths. */
#define FAR_MORE 20

/* What may miss of the upper end of an interval by what is cut. */
#define CUT_MISS (DP_PRICING_MISS / 4)

/* The most that a clamp is thought to cut in all groups together, in the value's unit; of a mean, in rows. */
static double
most_cut(const DpRelease *release, const DpLadderSeen *seen)
{
	return dp_pricing_clip_most_cut(seen, &release->choice, release->ladder.steps, CUT_MISS) *
		dp_pricing_clip_bound(release, 0);
}

/* How far noise takes a total, in the same unit. */
static double
noise_width(const DpRelease *release, const DpLadderSeen *seen)
{
	const DpNoise *noise = &release->noise[0];

	return dp_accounting_half_width(noise, 1 - DP_PRICING_MISS) / ldexp((double) noise->sensitivity, noise->grid) *
		dp_pricing_clip_bound(release, seen->step);
}

/* Rounded up to two digits. */
static double
two_digits(double value)
{
	double		unit = pow(10, floor(log10(value)) - 1);

	return ceil(value / unit) * unit;
}

/* Say what the clamp of this release may cut. */
static void
tell_of_clamp(const DpRelease *release, const DpLadderSeen *seen, double cut)
{
	bool		mean = release->ladder.kind == DP_LADDER_MEAN;
	const char *clamp = psprintf("dp_agg.clipping = auto chose a clamp of %g%s for a unit's total in a group.",
								 dp_pricing_clip_bound(release, seen->step), mean ? " rows" : "");

	ereport(NOTICE,
			(errmsg("what the clamp of %s cuts may be far more than its noise", release->label),
			 isfinite(cut) ? errdetail("%s In all groups together it cuts up to %.15g%s, as far as noise tells.", clamp,
									   two_digits(cut), mean ? " rows" : "")
			 : errdetail("%s Units are too few to stand out of noise, so how much it cuts is not known.", clamp),
			 errhint("%s Greater epsilons cut less, and dp_agg.clipping = fixed cuts as dp_agg.max_rows and bounds say.",
					 mean ? "The interval of a mean does not allow for it." : "Intervals allow for it.")));
}

bool
dp_statement_tell_of_cut(List *nodes)
{
	ListCell   *lc;

	foreach(lc, nodes)
	{
		const DpReleaseState *state = lfirst(lc);
		const DpBlock *block = dp_draw_shown_block(state);

		for (int i = 0; dp_settings_clipping_notice && state->seen && i < block->nreleases; i++)
		{
			const DpRelease *release = &block->release[i];
			double		cut;

			if (!dp_pricing_is_clipped(release))
				continue;
			cut = most_cut(release, &state->seen[i]);
			if (cut <= FAR_MORE * noise_width(release, &state->seen[i]))
				continue;
			tell_of_clamp(release, &state->seen[i], cut);
			return true;
		}
	}
	return false;
}

void
dp_statement_forget_notices(void)
{
	told_of_noise = false;
}
