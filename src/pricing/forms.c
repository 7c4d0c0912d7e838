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

/*
 * Calibrate draws among counts, each with the same loss: max_rows over the scale.  Where budgets
 * are spent by Renyi curves, the exponential mechanism costs a quarter of permute and flip, and
 * errs less at the same cost; of a sample it costs the same, and errs more.  Counts move one way,
 * so half of max_rows is what they move by, up or down, but for what moves all of them alike.
 */
static DpReason *
calibrate_draws(DpBlockRewrite *rewrite, int draws, bool exponential)
{
	const DpBlock *block = rewrite->block;
	double		max_rows = rewrite->contribution.max_rows;

	if (exponential && block->sample_rate >= 1)
		return calibrate(rewrite, DP_EXPONENTIAL, draws, max_rows / 2);
	return calibrate(rewrite, DP_PERMUTE_AND_FLIP, draws, max_rows);
}

DpReason *
dp_pricing_set_ranking(DpBlockRewrite *rewrite)
{
	DpBlock    *block = rewrite->block;
	DpRelease  *release = &block->release[0];
	const DpContribution *contribution = &rewrite->contribution;
	DpReason   *reason = NULL;
	const DpPricing *pricing = &rewrite->statement->pricing;
	bool		draws = block->size <= contribution->max_groups;

	if (draws)
		reason = calibrate_draws(rewrite, block->size, pricing->mechanism == DP_GAUSSIAN);
	if (reason || rewrite->domain > 0)
		return reason;
	block->selector = 0;
	block->threshold_delta = dp_pricing_sampled_delta(block, pricing->delta);
	block->threshold = draws ?
		dp_accounting_none_score(&release->noise[0], contribution->max_groups, pricing->delta) :
		dp_accounting_threshold(&release->noise[0], pricing->delta);
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

	return kind->calibrate_least ? kind->calibrate_least(rewrite) : calibrate_draws(rewrite, 1, true);
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
