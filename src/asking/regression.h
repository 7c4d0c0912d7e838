/*
 * regression.h
 *	  dp_linregr as the block it stands for.
 */
#ifndef DP_ASKING_REGRESSION_H
#define DP_ASKING_REGRESSION_H

#include "postgres.h"

#include "asking/call_text.h"
#include "tree/reason.h"

/* Write the query that a call stands for. */
extern DpReason *dp_query_write_linregr(DpCall *call, char **text);

#endif							/* DP_ASKING_REGRESSION_H */
