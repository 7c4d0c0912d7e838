/* SPDX-License-Identifier: PostgreSQL */
/*
 * draw_groups.h
 *	  Choosing max_groups of a block; see pricing/chosen_groups.h.
 *
 * The exact plan is run once before, with units counting in one group each.  For each
 * group it has the numbers of units in each class that count there.  Added up over
 * groups, these are the numbers of units in the classes.
 */
#ifndef DP_DRAW_DRAW_GROUPS_H
#define DP_DRAW_DRAW_GROUPS_H

#include "postgres.h"

#include "draw/release_state.h"

/* The plan that tells the classes, and after the choice, the one for what was chosen. */
extern PlannedStmt *dp_draw_plan_of_classes(const PlannedStmt *plan);
extern PlannedStmt *dp_draw_plan_of_choice(const DpReleaseState *state, const PlannedStmt *plan);

/* Read the classes from that plan, which is running, draw the choice, and note it in the node. */
extern void dp_draw_draw_groups(DpReleaseState *state);

/* Have a node show the block for a class that was chosen before. */
extern void dp_draw_set_chosen(DpReleaseState *state, int class);

/* The class chosen, in a released row of a block that chooses; -1 if it is none of them. */
extern int	dp_draw_chosen_class(const DpBlock *block, const Datum *values, const bool *isnull);

#endif							/* DP_DRAW_DRAW_GROUPS_H */
