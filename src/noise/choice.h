/* SPDX-License-Identifier: PostgreSQL */
/*
 * choice.h
 *	  The exponential mechanism, exactly, in integer arithmetic only.
 *
 * Plain C: no server header.  McSherry, Talwar, "Mechanism Design via
 * Differential Privacy" (2007).  Which alternative is drawn follows
 *
 *		P[i] proportional to exp(-score_i den / num)
 *
 * for integer scores and a rational num/den, given uniform bits; no sum of
 * exponentials is ever computed.  How many coins a draw takes, and so its time, depends
 * on the scores.
 */
#ifndef DP_NOISE_CHOICE_H
#define DP_NOISE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* Scores are below, and so is the number of all alternatives. */
#define DP_CHOICE_SCORE_BITS 95
#define DP_CHOICE_MAX (UINT64_C(1) << 62)

/* Alternatives of equal score, one after the other. */
typedef struct DpChoice
{
	unsigned __int128 score;
	uint64_t	count;			/* 0: nothing */
} DpChoice;

/*
 * All alternatives, read several times from first to last: each time the same.
 */
typedef struct DpChoices
{
	void		(*rewind) (struct DpChoices *choices);
	bool		(*next) (struct DpChoices *choices, DpChoice *choice);	/* false: no more */
} DpChoices;

/*
 * The number of the alternative drawn, from 0.  1 <= num <= 2^62, 1 <= den <=
 * 2^32.  Where there is nothing to draw, or an argument is out of its range,
 * dp_noise_failure is called (see random.h) and nothing returned.  All
 * alternatives are read each time, less than five times on average.
 */
extern uint64_t dp_noise_exponential(DpChoices *choices, uint64_t num, uint64_t den);

/*
 * What it is made of, for tests: an integer a little above weight / e, weight >= 1,
 * 1 for 1 and less than weight beyond; and a coin, true with probability
 * exp(-1) weight / dp_noise_next_weight(weight).
 */
extern uint64_t dp_noise_next_weight(uint64_t weight);
extern bool dp_noise_bernoulli_weight(uint64_t weight);

#endif							/* DP_NOISE_CHOICE_H */
