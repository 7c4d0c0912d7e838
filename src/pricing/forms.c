/* SPDX-License-Identifier: PostgreSQL */
/*
 * forms.c
 *	  Blocks of which something else is released than a count per group: what
 *	  their release draws with, and so what they cost.  Proofs: doc/accounting.md.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_aggregate.h"
#include "mb/pg_wchar.h"

#include "accounting/filter.h"
#include "accounting/ranking.h"
#include "budget/account/role.h"
#include "budget/keeper/client.h"
#include "from/contribution.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "pricing/form_table.h"
#include "pricing/forms.h"
#include "pricing/kind.h"
#include "tree/find_blocks.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

/* Ways to draw a ranking. */
#define MOST_WAYS 3

static int	tree_levels(int bins, int branching);

/*
 * Trees of counts whose leaves are the groups.
 */

int
dp_pricing_tree_widths(int bins, int branching, int *width)
{
	int			levels = 1;
	int			n = bins;

	while (n > 1)
	{
		n = (n - 1) / branching + 1;
		levels++;
	}
	width[levels - 1] = bins;
	for (int i = levels - 2; i >= 0; i--)
		width[i] = (width[i + 1] - 1) / branching + 1;
	return levels;
}

/* Number of levels of that tree, root and leaves included. */
static int
tree_levels(int bins, int branching)
{
	int			width[DP_MAX_TREE_LEVELS];

	return dp_pricing_tree_widths(bins, branching, width);
}

/*
 * The noise of a range's count has a variance of about (branching - 1) levels^3
 * times that of one count, all levels sharing an epsilon (Qardaji, Yang, Li
 * 2013).
 */
int
dp_pricing_tree_branching(int bins)
{
	int			best = 2;
	double		least = INFINITY;

	for (int b = 2; b <= Max(2, Min(bins, 256)); b++)
	{
		double		variance = (b - 1) * pow(tree_levels(bins, b), 3);

		if (variance < least)
		{
			least = variance;
			best = b;
		}
	}
	return best;
}

/*
 * An aggregate carries what its block is made of, and is to release, as if it were a direct argument,
 * of which the parser gives no aggregate of this kind any: no statement can say it.
 */
void
dp_pricing_ask_form(Aggref *aggref, const DpFormed *formed)
{
	DpFormed	copy = *formed;
	int			length = strlen(copy.label);
	int			call_length = strlen(copy.call);

	/* Cut short, it may end within a character. */
	copy.label[pg_mbcliplen(copy.label, length, length)] = '\0';
	copy.call[pg_mbcliplen(copy.call, call_length, call_length)] = '\0';
	aggref->aggdirectargs = list_make1(dp_tree_make_bytea(&copy, sizeof(DpFormed)));
}

const DpFormed *
dp_pricing_form_of(const Aggref *aggref)
{
	if (aggref->aggkind != AGGKIND_NORMAL || aggref->aggdirectargs == NIL)
		return NULL;
	return (const DpFormed *) DatumGetPointer(linitial_node(Const, aggref->aggdirectargs)->constvalue);
}

DpReason *
dp_pricing_read_call_epsilon(Aggref *aggref, int position, const DpStatement *statement, double *epsilon)
{
	const DpFormed *formed = dp_pricing_form_of(aggref);
	DpReason   *reason = dp_pricing_read_epsilon(aggref, position, statement, epsilon);

	if (reason == NULL && formed && formed->default_epsilon)
		*epsilon = statement->pricing.epsilon;
	return reason;
}

/* The form of release that a block was made for by a call, or NULL. */
static const DpFormed *
form_of(Query *block)
{
	return dp_pricing_form_of(dp_tree_first_aggregate(block));
}

bool
dp_pricing_is_formed(const DpBlockRewrite *rewrite)
{
	const DpFormed *formed = form_of(rewrite->query);

	return formed != NULL && !dp_forms[formed->form].of_groups;
}

const char *
dp_pricing_call_of(Query *block)
{
	const DpFormed *formed = form_of(block);

	return formed ? formed->call : NULL;
}

DpReason *
dp_pricing_calibrate_on(const DpBlockRewrite *rewrite, DpMechanism mechanism, int groups, double sensitivity, int grid)
{
	DpRelease  *release = &rewrite->block->release[0];
	const char *problem;

	release->delta = mechanism == DP_GAUSSIAN ? rewrite->statement->pricing.delta : 0;
	if (mechanism != DP_LAPLACE && mechanism != DP_GAUSSIAN && form_of(rewrite->query)->default_epsilon)
		release->epsilon = rewrite->statement->pricing.draw_epsilon;
	if (mechanism == DP_LAPLACE || mechanism == DP_GAUSSIAN)
		grid = dp_accounting_grid(mechanism, release->epsilon, release->delta, groups, 1,
								  sensitivity, true);
	problem = sensitivity > (double) DP_MAX_SENSITIVITY ? "sensitivity is out of range" :
		dp_accounting_calibrate(&release->noise[0], mechanism, release->epsilon, release->delta,
								groups, 1, (uint64) Max(ceil(ldexp(sensitivity, -grid)), 1), grid);
	if (problem)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL, "%s", problem);
	release->nnoise = 1;
	return NULL;
}

/* The same of counts.  The exponential mechanism has a grid of halves. */
static DpReason *
calibrate(const DpBlockRewrite *rewrite, DpMechanism mechanism, int groups, double sensitivity)
{
	return dp_pricing_calibrate_on(rewrite, mechanism, groups, sensitivity, mechanism == DP_EXPONENTIAL ? -1 : 0);
}

double
dp_pricing_candidates(const DpBlock *block)
{
	return block->domain > 0 ? block->domain : 2;
}

/*
 * Calibrate draws among counts, each with the same loss: max_rows over the scale.  Counts move one way,
 * so half of max_rows is what they move by, up or down, but for what moves all of them alike.
 */
static DpReason *
calibrate_draws(DpBlockRewrite *rewrite, DpMechanism mechanism, int draws)
{
	double		max_rows = rewrite->contribution.max_rows;

	return calibrate(rewrite, mechanism, draws, mechanism == DP_EXPONENTIAL ? max_rows / 2 : max_rows);
}

/* Calibrate noise of a ranking, drawn rank by rank or added to every count. */
static DpReason *
calibrate_ranking(DpBlockRewrite *rewrite, DpMechanism mechanism, int draws)
{
	if (dp_pricing_is_drawn(mechanism))
		return calibrate_draws(rewrite, mechanism, draws);
	return calibrate(rewrite, mechanism, rewrite->contribution.max_groups, rewrite->contribution.max_rows);
}

/*
 * What decides on a ranking: who asks has the limits, or as nobody has a delta.  They are taken as they were on
 * the first day: orders and shares that a budget began with may stay when its limit is changed, if it was spent from.
 */
static DpRankingChoice
ranking_choice(const DpBlockRewrite *rewrite, int draws, double candidates)
{
	const char *dataset = NameStr(rewrite->contribution.policy.dataset);
	DpRankingChoice choice = {
		.candidates = Max(candidates, 2),
		.draws = draws,
		.sample_rate = rewrite->block->sample_rate,
		.beside_gaussian = rewrite->statement->pricing.mechanism == DP_GAUSSIAN
	};
	DpLimit		spend[2];

	choice.limits = dp_budget_limits(dp_budget_role_asking(), dataset, spend);
	if (choice.limits == 0)
	{
		spend[0] = (DpLimit) {.epsilon = 1};
		choice.limits = 1;
	}
	for (int i = 0; i < choice.limits; i++)
		dp_accounting_limit_init(&choice.limit[i], spend[i].epsilon, spend[i].delta, &dp_accounting_default_shares);
	return choice;
}

/* Calibrate a ranking in the best of these ways that can be drawn. */
static DpReason *
choose_ranking(DpBlockRewrite *rewrite, const DpMechanism *mechanism, int mechanisms, int draws, double candidates)
{
	DpRelease  *release = &rewrite->block->release[0];
	DpRelease	given = *release;
	DpMechanism possible[MOST_WAYS];
	DpNoise		way[MOST_WAYS];
	int			ways = 0;
	DpRankingChoice choice = ranking_choice(rewrite, draws, candidates);
	DpReason   *reason = NULL;

	for (int i = 0; i < mechanisms; i++)
	{
		DpReason   *problem = calibrate_ranking(rewrite, mechanism[i], draws);

		if (problem)
			reason = problem;
		else
		{
			possible[ways] = mechanism[i];
			way[ways++] = release->noise[0];
		}
		*release = given;
	}
	return ways == 0 ? reason : calibrate_ranking(rewrite, possible[dp_accounting_best_ranking(&choice, way, ways)], draws);
}

/*
 * Calibrate a ranking.  A mechanism that is set says what draws, as long as there are no more ranks than
 * groups of a unit, and what noise there is else.  The exponential mechanism costs a quarter of permute
 * and flip, by the curve.
 */
static DpReason *
set_ranking_noise(DpBlockRewrite *rewrite, int draws)
{
	const DpPricing *pricing = &rewrite->statement->pricing;
	DpMechanism ways[MOST_WAYS] = {DP_PERMUTE_AND_FLIP, DP_EXPONENTIAL, pricing->mechanism};

	if (pricing->chooses_mechanism)
		return choose_ranking(rewrite, ways, MOST_WAYS, draws, dp_pricing_candidates(rewrite->block));
	if (draws > rewrite->contribution.max_groups)
		return calibrate_ranking(rewrite, pricing->mechanism, draws);
	return calibrate_draws(rewrite, pricing->mechanism == DP_GAUSSIAN ? DP_EXPONENTIAL : DP_PERMUTE_AND_FLIP, draws);
}

bool
dp_pricing_is_drawn(DpMechanism mechanism)
{
	return mechanism == DP_PERMUTE_AND_FLIP || mechanism == DP_EXPONENTIAL;
}

DpReason *
dp_pricing_set_ranking(DpBlockRewrite *rewrite)
{
	DpBlock    *block = rewrite->block;
	const DpNoise *noise = &block->release[0].noise[0];
	const DpPricing *pricing = &rewrite->statement->pricing;
	DpReason   *reason = set_ranking_noise(rewrite, block->size);

	if (reason || rewrite->domain > 0)
		return reason;
	block->selector = 0;
	block->threshold_delta = dp_pricing_sampled_delta(block, pricing->delta);
	block->threshold = dp_pricing_is_drawn(noise->mechanism) ?
		dp_accounting_none_score(noise, rewrite->contribution.max_groups, pricing->delta) :
		dp_accounting_threshold(noise, pricing->delta);
	return NULL;
}

/*
 * The sum over a tree's levels of the squares by which a unit moves their counts, in squares of
 * max_rows: on a level whose nodes are of w bins each, none moves by more than min(max_groups, w),
 * and all together by max_groups.
 */
static double
squares_of_tree(const DpBlockRewrite *rewrite)
{
	double		groups = rewrite->contribution.max_groups;
	int			levels = tree_levels(rewrite->domain, rewrite->block->size);
	double		squares = 0;
	double		width = 1;

	for (int i = 0; i < levels; i++, width *= rewrite->block->size)
		squares += groups * Min(groups, width);
	return squares;
}

DpReason *
dp_pricing_set_tree(DpBlockRewrite *rewrite)
{
	const DpContribution *contribution = &rewrite->contribution;
	DpMechanism mechanism = rewrite->statement->pricing.mechanism;
	double		squares = squares_of_tree(rewrite);

	if (mechanism == DP_GAUSSIAN && squares <= PG_INT32_MAX)
		return calibrate(rewrite, DP_GAUSSIAN, (int) squares, contribution->max_rows);
	return calibrate(rewrite, mechanism,
					 tree_levels(rewrite->domain, rewrite->block->size),
					 (double) contribution->max_rows * contribution->max_groups);
}

DpReason *
dp_pricing_set_least(DpBlockRewrite *rewrite)
{
	const DpKind *kind = dp_kind(&rewrite->block->release[0]);
	const DpMechanism ways[] = {DP_PERMUTE_AND_FLIP, DP_EXPONENTIAL};

	if (kind->calibrate_least)
		return kind->calibrate_least(rewrite);
	if (rewrite->statement->pricing.chooses_mechanism)
		return choose_ranking(rewrite, ways, lengthof(ways), 1, rewrite->block->size);
	return calibrate_draws(rewrite, DP_EXPONENTIAL, 1);
}

DpReason *
dp_pricing_set_first(DpBlockRewrite *rewrite)
{
	return calibrate(rewrite, DP_ABOVE_THRESHOLD, 1, 2.0 * rewrite->contribution.max_rows);
}

DpReason *
dp_pricing_set_form(DpBlockRewrite *rewrite)
{
	const DpFormed *formed = form_of(rewrite->query);
	DpBlock    *block = rewrite->block;

	block->form = formed->form;
	block->size = formed->size;
	block->level = formed->level;
	block->selector = -1;
	strlcpy(block->release[0].label, formed->label, DP_LABEL_SIZE);
	if (dp_form(block)->calibrate == NULL)
		elog(ERROR, "unknown form %d", (int) block->form);
	return dp_form(block)->calibrate(rewrite);
}
