/* SPDX-License-Identifier: PostgreSQL */
/*
 * randomize.c
 *	  Exact randomised response over k values: by rejection from the uniform
 *	  distribution, so that k draws at most are expected.
 */
#include "noise/coins.h"
#include "noise/randomize.h"

uint32_t
dp_noise_randomized_response(uint32_t k, uint64_t whole, uint64_t part)
{
	if (k < 1 || k > DP_NOISE_MAX_CHOICES || part >= DP_NOISE_EPSILON_UNIT)
		dp_noise_fail();
	for (;;)
	{
		uint32_t	choice = (uint32_t) dp_noise_uniform_below(k);

		if (choice == 0 || dp_noise_bernoulli_exp_sum(whole, part, DP_NOISE_EPSILON_UNIT))
			return choice;
	}
}
