/* SPDX-License-Identifier: PostgreSQL */
/*
 * selection.c
 *	  Selection among integer scores: permute and flip, Gumbel noise, above threshold.
 *
 * Why none has ties to break, and what each costs: doc/accounting.md.
 */
#include "noise/choice.h"
#include "noise/coins.h"
#include "noise/selection.h"

/* True with probability exp(-gap * den / num): exp(-1) for each whole unit, times the rest. */
static bool
is_heads(uint64_t gap, uint64_t num, uint64_t den)
{
	DpUInt128	a = (DpUInt128) gap * den;

	for (; a > num; a -= num)
		if (!dp_noise_bernoulli_exp_reciprocal(1))
			return false;
	return dp_noise_bernoulli_exp((uint64_t) a, num);
}

/* The greatest score that is not out. */
static int64_t
greatest_score(const int64_t *score, const bool *taken, size_t n)
{
	int64_t		greatest = INT64_MIN;

	for (size_t i = 0; i < n; i++)
		if (!taken[i] && score[i] > greatest)
			greatest = score[i];
	return greatest;
}

/*
 * A random order in which the first heads wins is a uniform choice among all heads, as
 * the coins do not depend on the order.  After h heads the latest replaces the one
 * chosen with probability 1/h.  A greatest score is heads for certain, so there is one.
 */
size_t
dp_noise_permute_and_flip(const int64_t *score, const bool *taken, size_t n,
						  uint64_t num, uint64_t den)
{
	int64_t		greatest = greatest_score(score, taken, n);
	size_t		chosen = n;
	uint64_t	heads = 0;

	if (num < 1 || num > DP_NOISE_MAX_SCALE_NUM || den < 1 || den > DP_NOISE_MAX_SCALE_DEN)
		dp_noise_fail();
	for (size_t i = 0; i < n; i++)
	{
		if (taken[i] || !is_heads((uint64_t) greatest - (uint64_t) score[i], num, den))
			continue;
		heads++;
		if (dp_noise_uniform_below(heads) == 0)
			chosen = i;
	}
	if (chosen == n)
		dp_noise_fail();
	return chosen;
}

/* Candidates as alternatives, scored by how far they are behind the greatest. */
typedef struct Candidates
{
	DpChoices	choices;		/* first */
	const int64_t *score;
	const bool *taken;
	size_t		n;
	size_t		at;
	int64_t		greatest;
	int			shift;
} Candidates;

static void
rewind_candidates(DpChoices *choices)
{
	((Candidates *) choices)->at = 0;
}

static bool
next_candidate(DpChoices *choices, DpChoice *choice)
{
	Candidates *candidates = (Candidates *) choices;
	size_t		i = candidates->at;

	if (i == candidates->n)
		return false;
	choice->count = candidates->taken[i] ? 0 : 1;
	choice->score = choice->count == 0 ? 0
		: (DpUInt128) ((uint64_t) candidates->greatest - (uint64_t) candidates->score[i]) << candidates->shift;
	candidates->at++;
	return true;
}

/* The place of that candidate of those left which has this number, from 0. */
static size_t
place_of(const bool *taken, uint64_t number)
{
	size_t		i = 0;

	for (;; i++)
		if (!taken[i] && number-- == 0)
			return i;
}

size_t
dp_noise_gumbel_greatest(const int64_t *score, const bool *taken, size_t n,
						 int shift, uint64_t num, uint64_t den)
{
	Candidates	candidates = {
		.choices = {.rewind = rewind_candidates, .next = next_candidate},
		.score = score, .taken = taken, .n = n,
		.greatest = greatest_score(score, taken, n), .shift = shift
	};

	if (shift < 0 || shift > 31)
		dp_noise_fail();
	return place_of(taken, dp_noise_exponential(&candidates.choices, num, den));
}

/* Candidates as alternatives, scored by how far they are above the least. */
typedef struct Losses
{
	DpChoices	choices;		/* first */
	const unsigned __int128 *loss;
	unsigned __int128 least;
	size_t		n;
	size_t		at;
	int			shift;
} Losses;

static void
rewind_losses(DpChoices *choices)
{
	((Losses *) choices)->at = 0;
}

static bool
next_loss(DpChoices *choices, DpChoice *choice)
{
	Losses	   *losses = (Losses *) choices;

	if (losses->at == losses->n)
		return false;
	choice->count = 1;
	choice->score = (losses->loss[losses->at++] - losses->least) << losses->shift;
	return true;
}

size_t
dp_noise_least(const unsigned __int128 *loss, size_t n, int shift, uint64_t num, uint64_t den)
{
	Losses		losses = {
		.choices = {.rewind = rewind_losses, .next = next_loss},
		.loss = loss, .n = n, .shift = shift
	};

	if (n < 1 || shift < 0 || shift > 1)
		dp_noise_fail();
	losses.least = loss[0];
	for (size_t i = 1; i < n; i++)
		if (loss[i] < losses.least)
			losses.least = loss[i];
	return (size_t) dp_noise_exponential(&losses.choices, num, den);
}

size_t
dp_noise_first_above(const int64_t *count, size_t n, int64_t threshold, uint64_t num, uint64_t den)
{
	DpInt128	level = threshold + dp_noise_geometric(num, den);
	size_t		first = n;

	for (size_t i = 0; i < n; i++)
		if (count[i] + dp_noise_geometric(num, den) >= level && first == n)
			first = i;
	return first;
}
