/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthesize.h
 *	  dp_synthesize as the block it stands for.
 */
#ifndef DP_ASKING_SYNTHESIZE_H
#define DP_ASKING_SYNTHESIZE_H

#include "postgres.h"

#include "asking/call_text.h"
#include "tree/statement.h"

/*
 * The query that dp_synthesize(relation, columns, rows, epsilon, filter) stands for.
 * Returns NULL, or why it is not allowed.
 */
extern DpReason *dp_asking_write_synthesize(DpCall *call, char **text);

#endif							/* DP_ASKING_SYNTHESIZE_H */
