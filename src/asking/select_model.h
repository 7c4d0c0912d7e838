/* SPDX-License-Identifier: PostgreSQL */
/*
 * select_model.h
 *	  dp_select_model as the block it stands for.
 */
#ifndef DP_ASKING_SELECT_MODEL_H
#define DP_ASKING_SELECT_MODEL_H

#include "postgres.h"

#include "asking/call_text.h"

/* Write the query that a call stands for. */
extern DpReason *dp_asking_write_select_model(DpCall *call, char **text);

#endif							/* DP_ASKING_SELECT_MODEL_H */
