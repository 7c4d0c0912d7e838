/*
 * clamped_groups.h
 *	  Groups that wait for their totals' clamp to be chosen.
 */
#ifndef DP_DRAW_CLAMPED_GROUPS_H
#define DP_DRAW_CLAMPED_GROUPS_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "draw/release_state.h"

typedef struct DpClampedGroups DpClampedGroups;

/* Have a store for the groups of a block; NULL if it has no release whose clamp is chosen. */
extern DpClampedGroups *dp_query_begin_clamped(const DpReleaseState *state);

/*
 * Keep a group that will be answered: what is released of it, but in columns of totals whose clamp
 * is chosen what the exact row holds.
 */
extern void dp_query_keep_clamped(DpClampedGroups *groups, TupleTableSlot *result);

/* Choose the clamps, note them in the node, release all groups kept into its store, and free them. */
extern void dp_query_release_clamped(DpClampedGroups *groups, DpReleaseState *state, TupleTableSlot *result);

#endif							/* DP_DRAW_CLAMPED_GROUPS_H */
