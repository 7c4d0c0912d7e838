/*
 * select_model.h
 *	  dp_select_model as the block it stands for.
 */
#ifndef DP_QUERY_CALL_SELECT_MODEL_H
#define DP_QUERY_CALL_SELECT_MODEL_H

#include "postgres.h"

#include "query/call/call_text.h"
#include "query/nodes/reason.h"

/* Write the query that a call stands for. */
extern DpReason *dp_query_write_select_model(DpCall *call, char **text);

#endif							/* DP_QUERY_CALL_SELECT_MODEL_H */
