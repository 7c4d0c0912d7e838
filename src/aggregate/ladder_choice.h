/* SPDX-License-Identifier: PostgreSQL */
/*
 * ladder_choice.h
 *	  Which clamp of a ladder to take, given noisy numbers of the units on its steps.
 *
 * Plain C: no server header.  What is given is noisy already, so that nothing here bears on
 * privacy: it is about how far answers are off.
 */
#ifndef DP_AGGREGATE_LADDER_CHOICE_H
#define DP_AGGREGATE_LADDER_CHOICE_H

#include "aggregate/ladder.h"

typedef struct DpLadderRule
{
	int			steps;
	double		first[DP_LADDER_MOST];	/* a step is held with more units, if none below it is, */
	double		above[DP_LADDER_MOST];	/* or the one so many steps below it, from 1 */
	double		noise[DP_LADDER_MOST];	/* mean absolute noise of all answers together with the
										 * clamp of a step, in least clamps */
} DpLadderRule;

/* The last step that is held, or -1. */
extern int	dp_aggregate_ladder_held(const DpLadderRule *rule, const double *units);

/* The step whose clamp is to be taken. */
extern int	dp_aggregate_ladder_choose(const DpLadderRule *rule, const double *units);

#endif							/* DP_AGGREGATE_LADDER_CHOICE_H */
