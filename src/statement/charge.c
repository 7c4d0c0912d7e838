/* SPDX-License-Identifier: PostgreSQL */
/*
 * charge.c
 *	  One charge per statement, before anything is read for an answer.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "base/compat_varlena.h"
#include "base/injection.h"
#include "budget/account/role.h"
#include "budget/keeper/client.h"
#include "draw/added_up.h"
#include "draw/release_state.h"
#include "pricing/block.h"
#include "pricing/block_json.h"
#include "pricing/kind.h"
#include "pricing/price_lines.h"
#include "pricing/total_cost.h"
#include "statement/charge.h"
#include "statement/notices.h"
#include "statement/revalidate.h"
#include "tree/met.h"

static MemoryContext last_context = NULL;
static List *last_blocks = NIL;
static Oid	last_role = InvalidOid;
static DpBalance last_balance;

void
dp_statement_total_cost(List *blocks, DpCurve *cost)
{
	ListCell   *lc;

	memset(cost, 0, sizeof(*cost));
	foreach(lc, blocks)
		dp_pricing_block_cost(lfirst(lc), cost);
}

static List *
blocks_of(List *nodes)
{
	List	   *blocks = NIL;
	ListCell   *lc;

	foreach(lc, nodes)
		blocks = lappend(blocks, unconstify(DpBlock *, ((DpReleaseState *) lfirst(lc))->block));
	return blocks;
}

Jsonb *
dp_statement_releases_of(List *nodes)
{
	DpDescribedBlock *blocks = palloc(list_length(nodes) * sizeof(DpDescribedBlock));
	ListCell   *lc;

	foreach(lc, nodes)
	{
		const DpReleaseState *state = lfirst(lc);

		blocks[foreach_current_index(lc)] = (DpDescribedBlock) {
			.block = state->block, .asked = state->asked, .question = state->question ? state->question->digest : NULL, .reads_released = state->reads_released
		};
	}
	return dp_pricing_blocks_json(blocks, list_length(nodes));
}

DpAnsweredBlock *
dp_statement_copy_answered(const DpReleaseState *state, bool free, const char *note)
{
	DpAnsweredBlock *copy = palloc(sizeof(DpAnsweredBlock));

	copy->block = palloc(VARSIZE(state->block));
	memcpy(copy->block, dp_draw_shown_block(state), VARSIZE(state->block));
	for (int i = 0; i < copy->block->nreleases && state->clamps; i++)
		if (dp_pricing_is_clipped(&copy->block->release[i]))
			copy->block->release[i].chosen = state->clamps[i];
	copy->free = free;
	copy->note = note ? pstrdup(note) : NULL;
	copy->rows_as_of = free || state->opening == NULL ? 0 : state->opening->rows_as_of;
	return copy;
}

void
dp_statement_remember_release(List *nodes, Oid payer, const DpBalance *balance)
{
	MemoryContext old;
	ListCell   *lc;

	if (last_context == NULL)
		last_context = AllocSetContextCreate(TopMemoryContext, "dp_agg last release",
											 ALLOCSET_SMALL_SIZES);
	last_blocks = NIL;
	MemoryContextReset(last_context);
	old = MemoryContextSwitchTo(last_context);
	foreach(lc, nodes)
	{
		const DpReleaseState *state = lfirst(lc);

		last_blocks = lappend(last_blocks, dp_statement_copy_answered(state, state->kept_since != 0,
																	  dp_statement_answer_note(state, state->kept_since)));
	}
	last_balance = *balance;
	last_role = payer;
	MemoryContextSwitchTo(old);
}

void
dp_statement_forget_release(void)
{
	last_role = InvalidOid;
	last_blocks = NIL;
	if (last_context)
		MemoryContextReset(last_context);
}

List *
dp_statement_last_release(DpBalance *balance)
{
	*balance = last_balance;
	return last_role == dp_budget_role_asking() ? last_blocks : NIL;
}

/*
 * The largest factor on every epsilon of the statement with which the balance
 * would admit it, to within a millionth; 0 if there is none.
 */
static double
fitting_factor(List *blocks, const DpBalance *balance)
{
	double		low = 0;
	double		high = 1;

	while (high - low > 1e-6 * high && high > 1e-9)
	{
		double		factor = low > 0 ? (low + high) / 2 : high / 2;
		DpCurve		cost = {{0}};
		bool		possible = true;
		ListCell   *lc;

		foreach(lc, blocks)
		{
			CHECK_FOR_INTERRUPTS();
			possible = possible && dp_pricing_block_scaled_cost(lfirst(lc), factor, &cost);
		}
		if (possible && dp_budget_admits(balance, &cost))
			low = factor;
		else
			high = factor;
	}
	return low;
}

/* Most that adding to an epsilon and taking away again may change of it, and more. */
#define ROUNDING 1e-12

/* The epsilon that a release was asked with, of which the choice of max_groups may have a part. */
static double
asked_epsilon(const DpBlock *block, int i)
{
	double		epsilon = block->release[i].epsilon;

	return dp_pricing_chooses_groups(block) ? epsilon / (1 - block->choice_share) : epsilon;
}

/* The one epsilon all releases of the statement ask for, or 0; what answers several has one of its own. */
static double
common_epsilon(List *blocks)
{
	double		epsilon = 0;
	ListCell   *lc;

	foreach(lc, blocks)
	{
		const DpBlock *block = lfirst(lc);

		for (int i = 0; i < block->nreleases; i++)
		{
			double		asked = asked_epsilon(block, i);

			if (i == block->chooser)
				continue;
			if (block->release[i].answers > 0 || (epsilon != 0 && fabs(asked - epsilon) > ROUNDING * epsilon))
				return 0;
			if (epsilon == 0)
				epsilon = asked;
		}
	}
	return epsilon;
}

/* A positive number with its first three digits only. */
static double
round_down(double number)
{
	double		unit = pow(10, floor(log10(number)) - 2);

	return floor(number / unit) * unit;
}

/*
 * Hint: what the analyst can do about a refusal.  What fits may be more than what is left; why is said,
 * unless it is because the statement asks a sample, and so costs less than its epsilon.
 */
static const char *
refusal_hint(List *blocks, const DpBalance *balance, double price, double delta, double left)
{
	double		factor = fitting_factor(blocks, balance);
	double		epsilon = common_epsilon(blocks);

	if (factor == 0 && delta > 0)
		return "No smaller epsilon would fit; a smaller dp_agg.delta may, or a larger budget.";
	if (factor == 0)
		return "No smaller epsilon would fit; ask the administrator for a larger budget.";
	if (epsilon > 0)
		return psprintf("An epsilon of %.3g for each aggregate would fit%s.", round_down(epsilon * factor),
						price >= epsilon && round_down(epsilon * factor) > left ?
						": statements add up to less than the sum of their epsilons" : "");
	return psprintf("Multiplying every epsilon by %.3g would fit.", round_down(factor));
}

/* Say whose budget is exhausted, what the statement costs and what is left. */
static void
raise_refusal(List *blocks, const DpBalance *balance)
{
	const DpBlock *block = linitial(blocks);
	bool		cap = balance->refused_by_cap;
	const DpLimit *limit = cap ? &balance->cap_limit : &balance->limit;
	const DpCurve *spent = cap ? &balance->cap_spent : &balance->spent;
	double		left = limit->epsilon - dp_accounting_epsilon_spent(limit, spent);
	double		epsilon;
	double		delta;

	dp_pricing_blocks_price(blocks, &epsilon, &delta);
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 cap ? errmsg("privacy budget of all roles together exhausted on data set \"%s\"",
						  block->dataset) :
			 errmsg("privacy budget exhausted on data set \"%s\"", block->dataset),
			 errdetail("The statement costs epsilon %.6g and delta %.3g; epsilon %.6g of %.6g remains.",
					   epsilon, delta, Max(left, 0), limit->epsilon),
			 errhint("%s", refusal_hint(blocks, balance, epsilon, delta, left))));
}

/* What is left of an epsilon, as it is told: less than a millionth of it is what rounding leaves. */
static double
left_of(double epsilon, double spent)
{
	return epsilon - spent < 1e-6 * epsilon ? 0 : epsilon - spent;
}

/* What is used up of the budget that paid, by epsilon or by the delta of private groups. */
static const char *
used_detail(const DpBalance *balance)
{
	const DpLimit *limit = &balance->limit;
	double		spent = dp_accounting_epsilon_spent(limit, &balance->spent);

	if (balance->spent.delta > 0 && balance->spent.delta / limit->delta_partition > spent / limit->epsilon)
		return psprintf("Private groups have spent %.3g of their delta of %.3g; epsilon %.6g of %.6g remains.",
						balance->spent.delta, limit->delta_partition, left_of(limit->epsilon, spent), limit->epsilon);
	return psprintf("Epsilon %.6g of %.6g remains.", left_of(limit->epsilon, spent), limit->epsilon);
}

/*
 * Tell that the charge crossed a threshold of the budget that paid, once in a period.  The role
 * that pays may see that budget in dp_agg.budgets; there is no notice about a cap.
 */
static void
tell_of_alert(const DpBalance *balance, const char *dataset)
{
	char	   *name;

	if (balance->alert == 0)
		return;
	name = GetUserNameFromId(balance->payer, true);
	ereport(NOTICE,
			(errmsg("%g %% of the privacy budget of role \"%s\" on data set \"%s\" is used",
					balance->alert, name != NULL ? name : psprintf("%u", balance->payer), dataset),
			 errdetail_internal("%s", used_detail(balance)),
			 errhint("dp_agg.remaining tells how many more statements fit, dp_agg.plan at which epsilon.")));
}

void
dp_statement_charge(List *nodes, Oid payer, const Jsonb *releases, const text *statement,
					DpBalance *balance)
{
	List	   *blocks = blocks_of(nodes);
	DpCharge	charge = {0};
	ListCell   *lc;

	charge.role = payer;
	charge.dataset = ((DpBlock *) linitial(blocks))->dataset;
	charge.releases = releases;
	charge.statement = statement;
	dp_statement_total_cost(blocks, &charge.cost);
	if (!dp_budget_charge(&charge, balance))
		raise_refusal(blocks, balance);
	dp_tree_met.charges++;

	foreach(lc, nodes)
		((DpReleaseState *) lfirst(lc))->paid = true;
	tell_of_alert(balance, charge.dataset);
	DP_INJECTION_POINT("charged");
}
