/* SPDX-License-Identifier: PostgreSQL */
/*
 * running_call.h
 *	  Functions of ours that ask in the name of their caller, while they run.
 */
#ifndef DP_STATEMENT_RUNNING_CALL_H
#define DP_STATEMENT_RUNNING_CALL_H

#include "postgres.h"

#include "fmgr.h"

/* Note that a function begins or ends, if it is such a one. */
extern void dp_statement_note_call(FmgrHookEventType event, const FmgrInfo *function);

/* The call that asks now, as text, or NULL. */
extern const char *dp_statement_running_call(void);

#endif							/* DP_STATEMENT_RUNNING_CALL_H */
