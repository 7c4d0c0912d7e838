/* SPDX-License-Identifier: PostgreSQL */
/*
 * selection.h
 *	  dp_noisy_max, dp_top and dp_above_threshold as the blocks they stand for.
 */
#ifndef DP_ASKING_SELECTION_H
#define DP_ASKING_SELECTION_H

#include "postgres.h"

#include "asking/call_text.h"

/* Write the query that a call stands for. */
extern DpReason *dp_asking_write_noisy_max(DpCall *call, char **text);
extern DpReason *dp_asking_write_top(DpCall *call, char **text);
extern DpReason *dp_asking_write_above_threshold(DpCall *call, char **text);

#endif							/* DP_ASKING_SELECTION_H */
