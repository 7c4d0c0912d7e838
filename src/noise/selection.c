/*
 * selection.c
 *	  Selection among integer scores: permute and flip, above threshold.
 *
 * Why neither has ties to break, and what each costs: doc/accounting.md.
 */
#include "noise/selection.h"

#include "noise/coins.h"

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
 * A random order in which the first heads wins is a uniform choice among all
 * heads, as the coins do not depend on the order.  Of h heads so far the latest
 * replaces the one chosen with probability 1/h.  A greatest score is heads for
 * certain, so there is one.
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
