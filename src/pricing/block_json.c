/* SPDX-License-Identifier: PostgreSQL */
/*
 * block_json.c
 *	  Blocks as JSON, for the ledger: what they ask, and what they release.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "accounting/calibrate.h"
#include "pricing/asked.h"
#include "pricing/block.h"
#include "pricing/block_json.h"
#include "pricing/chosen_groups.h"
#include "pricing/form_table.h"
#include "pricing/kind.h"
#include "pricing/price_lines.h"
#include "pricing/shared_noise.h"

/* What noise that several totals share is called: those of a row, or of all groups. */
#define SHARED_LABEL "noise that aggregates share"
#define ACROSS_LABEL "noise that groups share"

/* One noise term as JSON: everything an auditor needs to recompute its curve. */
static void
append_term_json(StringInfo json, const DpNoise *noise)
{
	appendStringInfo(json, "{\"groups\":%d,\"sensitivity\":" UINT64_FORMAT ",\"grid\":%d",
					 noise->groups, noise->sensitivity, noise->grid);
	if (noise->mechanism == DP_GAUSSIAN)
		appendStringInfo(json, ",\"sigma\":" UINT64_FORMAT "}", noise->sigma);
	else
		appendStringInfo(json, ",\"scale_num\":" UINT64_FORMAT ",\"scale_den\":" UINT64_FORMAT "}",
						 noise->scale_num, noise->scale_den);
}

/* What noise is charged as.  Where it is shared, that is what totals have for themselves, in parts of grid units. */
static void
append_noise_json(StringInfo json, const DpNoise *noise)
{
	DpNoise		charged[DP_CHARGED_MOST];
	int			count = dp_accounting_charged(noise, charged);

	for (int i = 0; i < count; i++)
	{
		if (i > 0)
			appendStringInfoChar(json, ',');
		append_term_json(json, &charged[i]);
	}
}

/* Is this the same noise?  Where it is not shared, the direction does not matter. */
static bool
same_noise(const DpNoise *x, const DpNoise *y)
{
	return x->mechanism == y->mechanism && x->groups == y->groups && x->grid == y->grid &&
		x->sensitivity == y->sensitivity && x->scale_num == y->scale_num &&
		x->scale_den == y->scale_den && x->sigma == y->sigma && x->own == y->own &&
		x->own_bits == y->own_bits && x->part == y->part && x->across == y->across && x->others == y->others &&
		(x->own == 0 || x->direction == y->direction);
}

/* Do these aim at the same rank? */
static bool
same_rank(const DpQuantileRank *x, const DpQuantileRank *y)
{
	return x->cells == y->cells && x->fraction == y->fraction &&
		x->fraction_bits == y->fraction_bits && x->offset == y->offset && x->none == y->none &&
		x->none_bits == y->none_bits;
}

/* Are these two of a block the same release, but for the column each is read from? */
static bool
same_release(const DpBlock *block, int i, int j)
{
	const DpRelease *x = &block->release[i];
	const DpRelease *y = &block->release[j];

	return x->kind == y->kind && x->epsilon == y->epsilon && x->delta == y->delta &&
		x->width == y->width && x->nnoise == y->nnoise &&
		(x->nnoise < 1 || same_noise(&x->noise[0], &y->noise[0])) &&
		(x->nnoise < 2 || same_noise(&x->noise[1], &y->noise[1])) &&
		x->answers == 0 && y->answers == 0 && dp_pricing_has_choice(x) == dp_pricing_has_choice(y) &&
		(!dp_pricing_has_choice(x) || same_noise(&x->choice, &y->choice)) &&
		same_rank(&x->rank, &y->rank) && x->split.sharers < 2 && y->split.sharers < 2 && strcmp(x->label, y->label) == 0 &&
		i != block->selector && j != block->selector;
}

/* The others of a level that a quantile pays for. */
static void
append_sharers_json(StringInfo json, const DpBlock *block, int i)
{
	const char *separator = "";

	appendStringInfoString(json, ",\"with\":[");
	for (int j = 0; j < block->nreleases; j++)
	{
		if (j == i || block->release[j].split.sharers == 0 || block->release[j].split.payer != i)
			continue;
		appendStringInfoString(json, separator);
		escape_json(json, block->release[j].label);
		separator = ",";
	}
	appendStringInfoChar(json, ']');
}

/* One kind of release, as often as the block makes it. */
static void
append_release_json(StringInfo json, const DpBlock *block, int i, int times)
{
	const DpRelease *release = &block->release[i];

	appendStringInfoString(json, "{\"aggregate\":");
	escape_json(json, release->label);
	appendStringInfo(json, ",\"mechanism\":\"%s\",\"epsilon\":%.17g",
					 dp_pricing_mechanism_name(release->noise[0].mechanism), dp_pricing_noise_epsilon(release));
	if (release->noise[0].mechanism == DP_GAUSSIAN)
		appendStringInfo(json, ",\"delta\":%.17g", release->delta);
	appendStringInfoString(json, ",\"noise\":[");
	for (int j = 0; j < release->nnoise; j++)
	{
		if (j > 0)
			appendStringInfoChar(json, ',');
		append_noise_json(json, &release->noise[j]);
	}
	appendStringInfoChar(json, ']');
	if (release->features > 0)
		appendStringInfo(json, ",\"totals\":%d", release->features);
	for (int j = 0; j < release->answers; j++)
	{
		appendStringInfoString(json, j == 0 ? ",\"answers\":[" : ",");
		escape_json(json, release->answer[j].label);
	}
	if (release->answers > 0)
		appendStringInfoChar(json, ']');
	if (i == block->selector)
		appendStringInfo(json, ",\"threshold\":" INT64_FORMAT ",\"threshold_delta\":%.17g",
						 block->threshold, block->threshold_delta);
	if (i == block->chooser)
		appendStringInfoString(json, ",\"chooses\":\"max_groups\"");
	if (release->split.sharers > 1)
		append_sharers_json(json, block, i);
	if (times > 1)
		appendStringInfo(json, ",\"times\":%d", times);
	appendStringInfoChar(json, '}');
}

/*
 * Parts of a release beside its noise: the choice of its clamp, or of the pairs of
 * its tree, or its passes.
 */
static const char *
name_of_choice(const DpRelease *release)
{
	const char *choice = dp_kind(release)->choice;

	return psprintf("%s of %s", choice ? choice : "clamp", release->label);
}

static void
append_choice_json(StringInfo json, const DpRelease *release, int times)
{
	appendStringInfoString(json, ",{\"aggregate\":");
	escape_json(json, name_of_choice(release));
	appendStringInfo(json, ",\"mechanism\":\"%s\",\"epsilon\":%.17g",
					 dp_pricing_mechanism_name(release->choice.mechanism), release->choice_epsilon);
	if (release->choice.mechanism == DP_GAUSSIAN)
		appendStringInfo(json, ",\"delta\":%.17g", release->delta);
	appendStringInfoString(json, ",\"noise\":[");
	append_noise_json(json, &release->choice);
	appendStringInfoChar(json, ']');
	if (times > 1)
		appendStringInfo(json, ",\"times\":%d", times);
	appendStringInfoChar(json, '}');
}

/*
 * How often the block makes this release; 0 if an earlier one, which was counted, is
 * the same, or another pays for it.
 */
static int
count_release(const DpBlock *block, int i)
{
	int			times = 1;

	if (!dp_pricing_is_charged(block, i))
		return 0;
	for (int j = 0; j < dp_pricing_block_priced(block); j++)
	{
		if (j == i || !same_release(block, i, j))
			continue;
		if (j < i)
			return 0;
		times++;
	}
	return times;
}

static void
append_question(StringInfo json, const uint8 *question)
{
	appendStringInfoString(json, "\"question\":\"");
	for (int i = 0; i < DP_QUESTION_BYTES; i++)
		appendStringInfo(json, "%02x", question[i]);
	appendStringInfoString(json, "\",");
}

/* Noise that totals share, as one more release, with those that do. */
static void
append_shared_json(StringInfo json, const DpBlock *block)
{
	const char *separator = "";

	appendStringInfo(json, ",{\"aggregate\":\"%s\",\"mechanism\":\"%s\",\"noise\":[",
					 dp_pricing_shares_across(block) ? ACROSS_LABEL : SHARED_LABEL,
					 dp_pricing_mechanism_name(block->shared.mechanism));
	append_noise_json(json, &block->shared);
	appendStringInfoString(json, "],\"with\":[");
	for (int i = 0; i < block->nreleases; i++)
	{
		if (block->release[i].noise[0].own == 0)
			continue;
		appendStringInfoString(json, separator);
		escape_json(json, block->release[i].label);
		separator = ",";
	}
	appendStringInfoString(json, "]}");
}

/* The releases of a block; but for the one by which max_groups was chosen, if so asked. */
static void
append_releases_json(StringInfo json, const DpBlock *block, bool chosen)
{
	const char *separator = "";

	appendStringInfoString(json, "\"releases\":[");
	for (int i = 0; i < dp_pricing_block_priced(block); i++)
	{
		int			times = count_release(block, i);

		CHECK_FOR_INTERRUPTS();
		if (times == 0 || (chosen && i == block->chooser))
			continue;
		appendStringInfoString(json, separator);
		append_release_json(json, block, i, times);
		if (dp_pricing_has_choice(&block->release[i]))
			append_choice_json(json, &block->release[i], times);
		separator = ",";
	}
	if (dp_pricing_shares_noise(block))
		append_shared_json(json, block);
	appendStringInfoChar(json, ']');
}

/* Releases of a block where fewer groups are chosen than the most. */
static void
append_classes_json(StringInfo json, const DpBlock *block)
{
	appendStringInfoString(json, ",\"or\":[");
	for (int class = 0; class < dp_pricing_group_classes(block) - 1; class++)
	{
		DpBlock    *chosen = dp_pricing_block_of_class(block, class);

		appendStringInfo(json, "%s{\"max_groups\":%d,", class > 0 ? "," : "", chosen->max_groups);
		append_releases_json(json, chosen, true);
		appendStringInfoChar(json, '}');
		pfree(chosen);
	}
	appendStringInfoChar(json, ']');
}

static void
append_block_json(StringInfo json, const DpDescribedBlock *described)
{
	const DpBlock *block = described->block;

	appendStringInfoChar(json, '{');
	dp_pricing_append_asked(json, described->asked);
	if (described->question)
		append_question(json, described->question);
	if (described->reads_released)
		appendStringInfoString(json, "\"reads_released\":true,");
	if (block->sample_rate < 1)
		appendStringInfo(json, "\"sample_rate\":%.17g,", block->sample_rate);
	append_releases_json(json, block, false);
	if (dp_pricing_chooses_groups(block))
		append_classes_json(json, block);
	appendStringInfoChar(json, '}');
}

Jsonb *
dp_pricing_blocks_json(const DpDescribedBlock *blocks, int count)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '[');
	for (int i = 0; i < count; i++)
	{
		if (i > 0)
			appendStringInfoChar(&json, ',');
		append_block_json(&json, &blocks[i]);
	}
	appendStringInfoChar(&json, ']');
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data)));
}
