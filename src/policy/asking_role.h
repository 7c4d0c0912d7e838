/* SPDX-License-Identifier: PostgreSQL */
/*
 * asking_role.h
 *	  Who asks for a command, in truth.
 */
#ifndef DP_POLICY_ASKING_ROLE_H
#define DP_POLICY_ASKING_ROLE_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/pg_list.h"

/* Note that a function begins or ends that PostgreSQL tells of: each SECURITY DEFINER one is. */
extern void dp_policy_note_definer(FmgrHookEventType event, const FmgrInfo *function);

/* Note that a function is about to be called, as the current user. */
extern void dp_policy_note_caller(Oid function);

/* Note that a command begins; what to hand to the other when it has ended, however it did. */
extern bool dp_policy_begin_command(const Node *command);
extern void dp_policy_end_command(bool outer);

/*
 * All who have a hand in what is asked for, so that each needs the right to it.  The last is the owner of the
 * innermost SECURITY DEFINER function under way that belongs to no extension; if there is none, the role
 * that the session has set.  Before it come those as whom functions run within that, but for superusers.
 */
extern List *dp_policy_asking_roles(void);

#endif							/* DP_POLICY_ASKING_ROLE_H */
