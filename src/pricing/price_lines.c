/* SPDX-License-Identifier: PostgreSQL */
/*
 * price_lines.c
 *	  Lines of a block's price: what EXPLAIN, price() and last_release() show.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/block_cost.h"
#include "accounting/calibrate.h"
#include "accounting/subsampling.h"
#include "accounting/sum_of_noise.h"
#include "pricing/block.h"
#include "pricing/chosen_groups.h"
#include "pricing/clipping.h"
#include "pricing/form_table.h"
#include "pricing/half_width.h"
#include "pricing/kind.h"
#include "pricing/price_lines.h"
#include "pricing/selector.h"

const char *
dp_pricing_mechanism_name(DpMechanism mechanism)
{
	return dp_accounting_mechanism_name[mechanism];
}

/* What people are told of a release's noise. */
static const char *
mechanism_of(const DpRelease *release)
{
	if (release->noise[0].own > 0)
		return release->noise[0].across ? "gaussian, shared by groups" : "gaussian, shared";
	return dp_pricing_mechanism_name(release->noise[0].mechanism);
}

/* How many times its first noise what price lines show is. */
static double
factor_of(const DpRelease *release)
{
	return dp_kind(release)->factor ? dp_kind(release)->factor(release) : 1;
}

/* Is it drawn by scores that a unit moves one way, by the exponential mechanism, as counts and losses are? */
static bool
is_of_one_way(const DpRelease *release)
{
	return dp_kind(release)->one_way && release->noise[0].mechanism == DP_EXPONENTIAL;
}

double
dp_pricing_stddev(const DpRelease *release)
{
	if (is_of_one_way(release))
		return dp_accounting_gumbel_stddev(&release->noise[0]);
	return dp_accounting_sum_stddev(&release->noise[0], Max(release->summed, 1), dp_pricing_rounds_each(release));
}

/* Lines of releases, and of a selector that is a result as well. */
static int
release_lines(const DpBlock *block)
{
	return dp_pricing_block_priced(block) +
		(block->selector >= 0 && block->selector_shown ? 1 : 0);
}

/* A release whose clamp is chosen as it is at a step. */
static DpRelease
at_step(const DpRelease *release, int step)
{
	DpRelease	at = *release;

	for (int j = 0; j < release->nnoise; j++)
		at.noise[j] = dp_pricing_clip_noise(release, j, step);
	return at;
}

/*
 * Known facts of a release whose clamp is chosen: before that, the clamps between
 * which it will be.
 */
static void
add_clamps(DpPriceLine *line, const DpRelease *release)
{
	bool		chosen = release->chosen >= 0;

	line->clipped = true;
	line->clamp_epsilon = release->choice_epsilon;
	line->least_clamp = dp_pricing_clip_bound(release, chosen ? release->chosen : 0);
	line->most_clamp = dp_pricing_clip_bound(release, chosen ? release->chosen : release->ladder.steps - 1);
	line->stddev_per_clamp = line->noise_stddev / line->most_clamp;
	if (!chosen)
		line->noise_stddev = line->half_width_95 = NAN;
}

/* Known facts of the rows by which a mean decides about groups. */
static void
describe_rows(DpPriceLine *line, const DpRelease *release)
{
	dp_pricing_threshold_noise(release, &line->noise_stddev, &line->half_width_95);
	line->sensitivity = (double) release->noise[1].sensitivity / dp_pricing_threshold_unit(release);
	line->rows = 0;
}

int
dp_pricing_block_lines(const DpBlock *block)
{
	int			lines = release_lines(block);

	for (int i = 0; i < dp_pricing_block_priced(block); i++)
		lines += block->release[i].answers;
	return lines;
}

/* The n-th of the answers that are taken from releases of others. */
static DpPriceLine
answer_line(const DpBlock *block, int n, double rows)
{
	DpPriceLine line = {0};
	const DpRelease *release = block->release;
	const DpAnswer *answer;

	for (; n >= release->answers; release++)
		n -= release->answers;
	answer = &release->answer[n];
	line.aggregate = answer->label;
	line.mechanism = mechanism_of(release);
	line.part_of = release->label;
	line.rows = answer->mean ? rows : 0;
	line.noise_stddev = dp_pricing_answer_stddev(release, answer) / Max(line.rows, 1);
	line.half_width_95 = dp_pricing_answer_half_width(release, answer) / Max(line.rows, 1);
	line.max_rows = release->max_rows;
	line.max_groups = block->max_groups;
	line.sensitivity = answer->sensitivity;
	return line;
}

/*
 * Releases in order, the selector under its own label; a selector that is a
 * result as well gets a line for the delta alone.  Answers that other releases
 * give follow, at no price.
 */
static DpPriceLine
block_line(const DpBlock *block, int i, double rows)
{
	DpPriceLine line = {0};
	int			n = i < block->nreleases || block->selector < 0 ? i : block->selector;
	const DpRelease *release = &block->release[n];
	DpRelease	at;
	bool		threshold = i == block->nreleases ||
		(i == block->selector && !block->selector_shown);

	if (i >= release_lines(block))
		return answer_line(block, i - release_lines(block), rows);
	if (dp_pricing_is_clipped(release) && release->chosen >= 0)
	{
		at = at_step(release, release->chosen);
		release = &at;
	}
	line.aggregate = i < block->nreleases ? block->release[n].label : "private groups";
	line.mechanism = mechanism_of(release);
	line.epsilon = i < block->nreleases ? release->epsilon : 0;
	if (i < block->nreleases && release->split.sharers > 0)
		line.epsilon /= release->split.sharers;
	line.delta = i < block->nreleases ? release->delta : 0;
	if (threshold)
		line.delta += block->threshold_delta;
	line.rows = dp_kind(release)->over_rows ? rows : 0;
	line.noise_stddev = factor_of(release) * dp_pricing_stddev(release) / Max(line.rows, 1);
	line.half_width_95 = release->derived ? NAN :
		dp_pricing_half_width(block, release, factor_of(release)) / Max(line.rows, 1);
	line.max_rows = release->max_rows;
	line.max_groups = block->max_groups;
	line.sensitivity = ldexp((double) release->noise[0].sensitivity, release->noise[0].grid);
	if (dp_form(block)->halves)
		line.sensitivity /= 2;	/* the other half is the threshold's */
	if (is_of_one_way(release))
		line.sensitivity *= 2;	/* of which half is taken from all */
	if (dp_kind(release)->in_unit)
		line.sensitivity *= release->unit;
	if (dp_pricing_is_clipped(release))
		add_clamps(&line, &block->release[n]);
	if (threshold)
		line.threshold = (double) block->threshold / dp_pricing_threshold_unit(release);
	if (i == block->nreleases && dp_kind(release)->over_rows)
		describe_rows(&line, release);
	return line;
}

/* Noise, or of a clamp that is not known yet, noise over clamp. */
static double
known_stddev(const DpPriceLine *line)
{
	return line->clipped && isnan(line->noise_stddev) ? line->stddev_per_clamp : line->noise_stddev;
}

/* Where max_groups is chosen, the line is that of the most, before that. */
DpPriceLine
dp_pricing_block_line(const DpBlock *block, int i, double rows)
{
	DpPriceLine line = block_line(block, i, rows);
	DpPriceLine at_least;
	DpBlock    *least;

	if (!dp_pricing_chooses_groups(block))
		return line;
	line.least_groups = line.max_groups;
	line.least_stddev = known_stddev(&line);
	if (block->release[block->chooser].chosen >= 0)
		return line;
	least = dp_pricing_block_of_class(block, 0);
	line.least_groups = least->max_groups;
	at_least = block_line(least, i, rows);
	line.least_stddev = known_stddev(&at_least);
	pfree(least);
	return line;
}

void
dp_pricing_blocks_price(List *blocks, double *epsilon, double *delta)
{
	ListCell   *lc;

	*epsilon = *delta = 0;
	foreach(lc, blocks)
	{
		const DpBlock *block = lfirst(lc);
		double		asked = 0;

		for (int i = 0; i < dp_pricing_block_lines(block); i++)
		{
			DpPriceLine line = dp_pricing_block_line(block, i, DP_PRICE_ROWS);

			asked += line.epsilon;
			*delta += line.delta;
		}
		*epsilon += block->sample_rate < 1 ? dp_accounting_amplified(asked, block->sample_rate) : asked;
	}
}
