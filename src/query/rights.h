/*
 * rights.h
 *	  Rights on tables before locks on them.
 */
#ifndef DP_QUERY_RIGHTS_H
#define DP_QUERY_RIGHTS_H

#include "postgres.h"

#include "nodes/nodes.h"

/*
 * Raise the error that PostgreSQL will raise for a command, if the current user
 * has not the rights on a table that it names beside its own: before the
 * command asks for a lock that would stop everybody else while it waits.
 */
extern void dp_query_check_rights(Node *command);

#endif							/* DP_QUERY_RIGHTS_H */
