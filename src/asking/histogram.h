/* SPDX-License-Identifier: PostgreSQL */
/*
 * histogram.h
 *	  dp_histogram and dp_cumulative as the blocks they stand for.
 */
#ifndef DP_ASKING_HISTOGRAM_H
#define DP_ASKING_HISTOGRAM_H

#include "postgres.h"

#include "asking/call_text.h"
#include "tree/statement.h"

/* Write the query that a call stands for. */
extern DpReason *dp_asking_write_histogram(DpCall *call, char **text);
extern DpReason *dp_asking_write_cumulative(DpCall *call, char **text);

/*
 * Is this key a bucket number or a place among candidates, whose
 * values 1 .. *domain are public?  Returns it with its argument validated, or NULL; sets *reason if
 * that argument is not allowed.
 */
extern Node *dp_asking_public_key(Query *block, Node *key, const DpStatement *statement,
								  int *domain, DpReason **reason);

#endif							/* DP_ASKING_HISTOGRAM_H */
