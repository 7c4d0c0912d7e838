/*
 * asking_role.h
 *	  Who asks for a command, in truth.
 */
#ifndef DP_QUERY_POLICY_ASKING_ROLE_H
#define DP_QUERY_POLICY_ASKING_ROLE_H

#include "postgres.h"

#include "fmgr.h"

/* Note that a function begins or ends that PostgreSQL tells of: each SECURITY DEFINER one is. */
extern void dp_query_note_definer(FmgrHookEventType event, const FmgrInfo *function);

/*
 * The owner of the innermost SECURITY DEFINER function under way that belongs to no extension; if
 * there is none, the role that the session has set.
 */
extern Oid	dp_query_asking_role(void);

#endif							/* DP_QUERY_POLICY_ASKING_ROLE_H */
