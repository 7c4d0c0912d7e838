/* SPDX-License-Identifier: PostgreSQL */
/*
 * explain.c
 *	  What EXPLAIN shows of a release node: its price and its noise, which
 *	  depend on the statement's text, settings, declared policy and limits of the budget alone.
 */
#include "postgres.h"

#include <math.h>

#include "base/compat_planner.h"
#include "draw/added_up.h"
#include "draw/release_state.h"
#include "pricing/block.h"
#include "pricing/form_table.h"
#include "pricing/kind.h"
#include "pricing/price_lines.h"
#include "pricing/shared_noise.h"
#include "statement/explain.h"
#include "statement/kept_answers.h"
#include "statement/notices.h"
#include "statement/opening.h"
#include "statement/revalidate.h"

/* Standard deviation of noise; between what, where max_groups is chosen. */
static const char *
stddev_text(const DpPriceLine *line, double most)
{
	if (line->least_groups > 0 && line->least_stddev < most)
		return psprintf("%.6g to %.6g", line->least_stddev, most);
	return psprintf("%.6g", most);
}

/* How the clamp is found, and what follows from it. */
static void
append_clamps(StringInfo text, const DpPriceLine *line, const char *at)
{
	appendStringInfo(text, ", clamp chosen from %.6g to %.6g with epsilon %.6g, noise stddev %s times the clamp%s",
					 line->least_clamp, line->most_clamp, line->clamp_epsilon, stddev_text(line, line->stddev_per_clamp), at);
}

/* One noise term in its value's unit, as text. */
static char *
line_text(const DpBlock *block, int i)
{
	DpPriceLine line = dp_pricing_block_line(block, i, DP_PRICE_ROWS);
	const char *at = line.rows > 0 ? psprintf(" at %.6g rows", line.rows) : "";
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s: %s", line.aggregate, line.mechanism);
	if (line.part_of)
		appendStringInfo(&text, ", part of %s", line.part_of);
	if (line.epsilon > 0)
		appendStringInfo(&text, ", epsilon %.6g", line.epsilon);
	if (line.delta > 0)
		appendStringInfo(&text, ", delta %.3g", line.delta);
	if (line.max_rows > 0)
		appendStringInfo(&text, ", max_rows %d", line.max_rows);
	if (line.least_groups < line.max_groups && line.least_groups > 0)
		appendStringInfo(&text, ", max_groups chosen from %d to %d", line.least_groups, line.max_groups);
	else if (line.max_groups > 0)
		appendStringInfo(&text, ", max_groups %d", line.max_groups);
	if (!line.clipped)
		appendStringInfo(&text, ", sensitivity %.6g", line.sensitivity);
	if (line.clipped)
		append_clamps(&text, &line, at);
	else if (isnan(line.noise_stddev))
		appendStringInfo(&text, ", 95%% within +-%.6g ranks", line.half_width_95);
	else if (isnan(line.half_width_95))
		appendStringInfo(&text, ", noise stddev %s of its variance or covariance%s",
						 stddev_text(&line, line.noise_stddev), at);
	else
		appendStringInfo(&text, ", noise stddev %s, 95%% within +-%.6g%s",
						 stddev_text(&line, line.noise_stddev), line.half_width_95, at);
	if (line.threshold > 0)
		appendStringInfo(&text, ", threshold %.6g", line.threshold);
	return text.data;
}

/*
 * Cost of the statement: of the blocks for which nothing is kept.  Each of its
 * nodes shows it.
 */
static const char *
statement_price(List *nodes, Oid payer)
{
	DpReleaseState *first = linitial(nodes);
	List	   *blocks = NIL;
	double		epsilon;
	double		delta;
	ListCell   *lc;

	if (first->statement_price)
		return first->statement_price;
	foreach(lc, dp_statement_unpaid(nodes, payer))
		blocks = lappend(blocks, unconstify(DpBlock *, ((DpReleaseState *) lfirst(lc))->block));
	dp_pricing_blocks_price(blocks, &epsilon, &delta);
	first->statement_price = MemoryContextStrdup(first->css.ss.ps.state->es_query_cxt,
												 psprintf("epsilon %.6g, delta %.3g", epsilon, delta));
	return first->statement_price;
}

static void
explain_line(const DpBlock *block, int i, const char *label, ExplainState *es)
{
	DpPriceLine line = dp_pricing_block_line(block, i, DP_PRICE_ROWS);

	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyText(label, line_text(block, i), es);
		return;
	}
	ExplainOpenGroup("Release", NULL, true, es);
	ExplainPropertyText("Aggregate", line.aggregate, es);
	ExplainPropertyText("Mechanism", line.mechanism, es);
	if (line.part_of)
		ExplainPropertyText("Part Of", line.part_of, es);
	ExplainPropertyFloat("Epsilon", NULL, line.epsilon, 6, es);
	ExplainPropertyText("Delta", psprintf("%.3g", line.delta), es);
	if (line.max_rows > 0)
		ExplainPropertyInteger("Max Rows", NULL, line.max_rows, es);
	if (line.max_groups > 0)
		ExplainPropertyInteger("Max Groups", NULL, line.max_groups, es);
	if (line.least_groups > 0)
	{
		ExplainPropertyInteger("Least Groups", NULL, line.least_groups, es);
		ExplainPropertyFloat(line.clipped ? "Least Noise Stddev Per Clamp" : "Least Noise Stddev", NULL,
							 line.least_stddev, 6, es);
	}
	ExplainPropertyFloat("Sensitivity", NULL, line.sensitivity, 6, es);
	if (line.clipped)
	{
		ExplainPropertyFloat("Clamp Epsilon", NULL, line.clamp_epsilon, 6, es);
		ExplainPropertyFloat("Least Clamp", NULL, line.least_clamp, 6, es);
		ExplainPropertyFloat("Most Clamp", NULL, line.most_clamp, 6, es);
		ExplainPropertyFloat("Noise Stddev Per Clamp", NULL, line.stddev_per_clamp, 6, es);
	}
	if (!isnan(line.noise_stddev))
		ExplainPropertyFloat("Noise Stddev", NULL, line.noise_stddev, 6, es);
	if (!isnan(line.half_width_95))
		ExplainPropertyFloat("Half Width 95", NULL, line.half_width_95, 6, es);
	if (line.rows > 0)
		ExplainPropertyFloat("Rows", NULL, line.rows, 0, es);
	if (line.threshold > 0)
		ExplainPropertyFloat("Threshold", NULL, line.threshold, 6, es);
	ExplainCloseGroup("Release", NULL, true, es);
}

/* All that these nodes release. */
static void
explain_lines(List *nodes, const char *label, const char *labels, ExplainState *es)
{
	ListCell   *lc;

	ExplainOpenGroup(labels, labels, false, es);
	foreach(lc, nodes)
	{
		const DpBlock *block = dp_draw_shown_block(lfirst(lc));

		for (int i = 0; i < dp_pricing_block_lines(block); i++)
			explain_line(block, i, label, es);
	}
	ExplainCloseGroup(labels, labels, false, es);
}

/* The nodes at the beginning of a statement's that only other blocks read. */
static List *
read_by_others(List *nodes)
{
	List	   *read = NIL;
	ListCell   *lc;

	foreach(lc, nodes)
		if (((DpReleaseState *) lfirst(lc))->read_by_others)
			read = lappend(read, lfirst(lc));
	return read;
}

/* In a statement's first node that is shown: what is drawn before it, and shown nowhere else. */
static void
explain_read_by_others(const DpReleaseState *state, List *nodes, ExplainState *es)
{
	List	   *read = read_by_others(nodes);

	if (read != NIL && list_nth(nodes, list_length(read)) == state)
		explain_lines(read, "Reads Release", "Reads Releases", es);
}

/* Where delta comes from, if a block has any and nobody set it. */
static void
explain_delta(const DpReleaseState *state, ExplainState *es)
{
	const DpBlock *block = dp_draw_shown_block(state);
	double		delta = 0;

	for (int i = 0; i < dp_pricing_block_lines(block); i++)
		delta = Max(delta, dp_pricing_block_line(block, i, DP_PRICE_ROWS).delta);
	if (delta > 0 && dp_statement_pricing_of(state->opening).chooses_delta)
		ExplainPropertyText("Delta", "chosen, a thousandth of what the budget has for private groups", es);
}

/* Has any release of a block noise of this mechanism? */
static bool
has_noise(const DpBlock *block, DpMechanism mechanism)
{
	for (int i = 0; i < dp_pricing_block_lines(block); i++)
		if (strcmp(dp_pricing_block_line(block, i, DP_PRICE_ROWS).mechanism, dp_pricing_mechanism_name(mechanism)) == 0)
			return true;
	return false;
}

/* Which way a block's ranking is drawn, as was chosen. */
static void
explain_ranking(const DpBlock *block, ExplainState *es)
{
	const char *mechanism = dp_pricing_block_line(block, 0, DP_PRICE_ROWS).mechanism;

	ExplainPropertyText("Ranking", psprintf("chosen, %s as no other way that errs as little costs the budget less", mechanism), es);
}

/* Where the mechanism comes from, if a block has noise and nobody set it. */
static void
explain_mechanism(const DpReleaseState *state, ExplainState *es)
{
	const DpBlock *block = dp_draw_shown_block(state);

	if (!dp_statement_pricing_of(state->opening).chooses_mechanism)
		return;
	if (dp_form(block)->ranks && dp_kind(&block->release[0])->calibrate_least == NULL)
		explain_ranking(block, es);
	else if (has_noise(block, DP_GAUSSIAN) || dp_pricing_shares_noise(block))
		ExplainPropertyText("Noise", "chosen, Gaussian as the budget has a delta", es);
	else if (has_noise(block, DP_LAPLACE))
		ExplainPropertyText("Noise", "chosen, Laplace as no budget with a delta pays", es);
}

void
dp_statement_release_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	DpReleaseState *state = (DpReleaseState *) node;
	Oid			payer;
	List	   *nodes;
	const char *note;
	const DpBlock *block;

	/*
	 * If a plan is printed before its statement has started, and any right has been checked, only
	 * the node is shown.
	 */
	if (state->opening == NULL)
		return;
	nodes = dp_statement_nodes_of(state->opening, &payer);
	note = dp_statement_answer_note(state, dp_statement_kept_since(state, payer));
	block = dp_draw_shown_block(state);
	ExplainPropertyText("Data Set", block->dataset, es);
	if (block->listed || block->domain > 0)
		ExplainPropertyText("Keys", "public", es);
	if (block->sample_rate < 1)
		ExplainPropertyFloat("Sample Rate", NULL, block->sample_rate, 6, es);
	explain_mechanism(state, es);
	explain_delta(state, es);
	explain_lines(list_make1(state), "Release", "Releases", es);
	explain_read_by_others(state, nodes, es);
	if (note)
		ExplainPropertyText("Answer", note, es);
	ExplainPropertyText("Statement Price", statement_price(nodes, payer), es);
}
