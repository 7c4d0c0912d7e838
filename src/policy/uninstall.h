/* SPDX-License-Identifier: PostgreSQL */
/*
 * uninstall.h
 *	  Security labels of ours in this database, whatever they are on.
 */
#ifndef DP_POLICY_UNINSTALL_H
#define DP_POLICY_UNINSTALL_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* How many objects of this database have a label of ours; one with both kinds counts twice. */
extern int	dp_policy_count_labels(void);

/* The tables with a label that protects them, whether it can be read or not. */
extern List *dp_policy_labelled_tables(void);

#endif							/* DP_POLICY_UNINSTALL_H */
