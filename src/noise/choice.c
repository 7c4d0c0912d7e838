/* SPDX-License-Identifier: PostgreSQL */
/*
 * choice.c
 *	  The exponential mechanism, exactly, in integer arithmetic only.
 *
 * Rejection sampling.  Let x = (score - least score) den / num = v + f with v
 * whole and 0 <= f < 1.  With the integers
 *
 *		W(0) = 2^63,  W(v + 1) = dp_noise_next_weight(W(v)) >= W(v) / e,
 *
 * an alternative is proposed with probability proportional to W(v), which is
 * integer arithmetic, and kept with probability
 *
 *		prod_(j < v) (W(j) / e) / W(j + 1)  *  exp(-f)  =  2^63 exp(-x) / W(v),
 *
 * a product of exact coins.  Proposal times acceptance
 * is 2^63 exp(-x): the law claimed, whatever the W are.  From v = LEVELS on W(v)
 * is 1, and the coins go on being exact.
 *
 * W(v) is within a few units above 2^63 exp(-v), so a proposal is rejected for
 * its fraction, by at most e, or because W(v) is too large, which matters where
 * exp(-v) is below 2^-60: then the alternative of least score, of weight 2^63,
 * outweighs 2^60 of those.
 *
 * Nothing overflows: score den < 2^95 2^32; the weights add up to less than
 * 2^62 2^63.
 */
#include "noise/choice.h"
#include "noise/coins.h"
#include "noise/sampler.h"

/* W(v) is 1 from here on, as 2^63 < e^44 and rounding up adds little. */
#define LEVELS 48
#define FIRST_WEIGHT (UINT64_C(1) << 63)

/* With T = TOTAL and S = SUM, S / T exceeds exp(-1) by less than 1 / (17 T). */
#define TOTAL DP_EXP_TOTAL(1)
#define SUM DP_EXP_SUM(1)

typedef struct Drawing
{
	DpChoices  *choices;
	DpUInt128	least;			/* of the scores */
	uint64_t	num;
	uint64_t	den;
	uint64_t	weight[LEVELS + 1]; /* W(0) ... */
} Drawing;

/* ceil(weight S / T). */
uint64_t
dp_noise_next_weight(uint64_t weight)
{
	return (uint64_t) (((DpUInt128) weight * SUM + TOTAL - 1) / TOTAL);
}

/*
 * exp(-1) weight / next is the product of two coins, exp(-1) T / S and
 * weight S / (T next).  The first is dp_noise_bernoulli_exp_reciprocal given that
 * its outcome is below S.  The second compares a uniform number below T next,
 * of which the quotient by T is drawn first, with weight S, which is above
 * T (next - 1): the remainder matters for the last quotient alone.
 */
bool
dp_noise_bernoulli_weight(uint64_t weight)
{
	uint64_t	next = dp_noise_next_weight(weight);
	uint64_t	border = (uint64_t) ((DpUInt128) weight * SUM - (DpUInt128) (next - 1) * TOTAL);

	if (dp_noise_uniform_below(next) == next - 1 && dp_noise_uniform_below(TOTAL) >= border)
		return false;
	return dp_noise_uniform_below(SUM) < SUM - 1 || dp_noise_exp_tail(1);
}

/* Uniform on 0 .. n - 1, n >= 1: words of as many bits, until one is below. */
static DpUInt128
uniform_wide(DpUInt128 n)
{
	uint64_t	high = (uint64_t) ((n - 1) >> 64);
	uint64_t	mask = high == 0 ? 0 : UINT64_MAX >> __builtin_clzll(high);
	DpUInt128	draw;

	if (high == 0 && n >> 64 == 0)
		return dp_noise_uniform_below((uint64_t) n);
	do
	{
		draw = (DpUInt128) (dp_noise_random64() & mask) << 64;
		draw |= dp_noise_random64();
	} while (draw >= n);
	return draw;
}

/* x num: the score above the least, times den. */
static inline DpUInt128
exponent(const Drawing *drawing, const DpChoice *choice)
{
	return (choice->score - drawing->least) * drawing->den;
}

/* W of an alternative. */
static inline uint64_t
weight_of(const Drawing *drawing, const DpChoice *choice)
{
	DpUInt128	x = exponent(drawing, choice);

	if (x >= (DpUInt128) drawing->num * LEVELS)
		return 1;
	if (x >> 64 == 0)
		return drawing->weight[(uint64_t) x / drawing->num];
	return drawing->weight[(uint64_t) (x / drawing->num)];
}

static void
set_weights(Drawing *drawing)
{
	drawing->weight[0] = FIRST_WEIGHT;
	for (int v = 0; v < LEVELS; v++)
		drawing->weight[v + 1] = dp_noise_next_weight(drawing->weight[v]);
}

/* Set the least score, and check what is relied on. */
static void
find_least(Drawing *drawing)
{
	uint64_t	left = DP_CHOICE_MAX;
	DpChoice	choice;

	drawing->least = (DpUInt128) 1 << DP_CHOICE_SCORE_BITS;
	drawing->choices->rewind(drawing->choices);
	while (drawing->choices->next(drawing->choices, &choice))
	{
		if (choice.count == 0)
			continue;
		if (choice.count > left || choice.score >> DP_CHOICE_SCORE_BITS != 0)
			dp_noise_fail();
		left -= choice.count;
		if (choice.score < drawing->least)
			drawing->least = choice.score;
	}
	if (left == DP_CHOICE_MAX)
		dp_noise_fail();
}

/* The sum of all weights. */
static DpUInt128
add_weights(Drawing *drawing)
{
	DpUInt128	total = 0;
	DpChoice	choice;

	drawing->choices->rewind(drawing->choices);
	while (drawing->choices->next(drawing->choices, &choice))
		if (choice.count > 0)
			total += (DpUInt128) weight_of(drawing, &choice) * choice.count;
	return total;
}

/*
 * The alternative that a number below the sum of all weights falls to, and the
 * exponent of it.  All are read, wherever it is.
 */
static uint64_t
find_proposal(Drawing *drawing, DpUInt128 target, DpUInt128 *x)
{
	bool		found = false;
	uint64_t	proposal = 0;
	DpChoice	choice;

	drawing->choices->rewind(drawing->choices);
	while (drawing->choices->next(drawing->choices, &choice))
	{
		uint64_t	weight;
		DpUInt128	together;

		if (choice.count == 0)
			continue;
		weight = weight_of(drawing, &choice);
		together = (DpUInt128) weight * choice.count;
		if (found)
			continue;
		if (target < together)
		{
			found = true;
			proposal += (uint64_t) (target / weight);
			*x = exponent(drawing, &choice);
			continue;
		}
		target -= together;
		proposal += choice.count;
	}
	if (!found)
		dp_noise_fail();
	return proposal;
}

/* True with probability 2^63 exp(-x) / W(v), for x num. */
static bool
accept(const Drawing *drawing, DpUInt128 x)
{
	DpUInt128	whole = x / drawing->num;

	for (DpUInt128 j = 0; j < whole; j++)
		if (!dp_noise_bernoulli_weight(drawing->weight[j < LEVELS ? j : LEVELS]))
			return false;
	return dp_noise_bernoulli_exp((uint64_t) (x % drawing->num), drawing->num);
}

uint64_t
dp_noise_exponential(DpChoices *choices, uint64_t num, uint64_t den)
{
	Drawing		drawing = {.choices = choices, .num = num, .den = den};
	DpUInt128	total;

	if (num < 1 || num > DP_NOISE_MAX_SCALE_NUM || den < 1 || den > DP_NOISE_MAX_SCALE_DEN)
		dp_noise_fail();
	set_weights(&drawing);
	find_least(&drawing);
	total = add_weights(&drawing);
	for (;;)
	{
		DpUInt128	x = 0;
		uint64_t	proposal = find_proposal(&drawing, uniform_wide(total), &x);

		if (accept(&drawing, x))
			return proposal;
	}
}
