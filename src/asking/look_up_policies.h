/* SPDX-License-Identifier: PostgreSQL */
/*
 * look_up_policies.h
 *	  Policies of row security that look a row up in public tables.
 */
#ifndef DP_ASKING_LOOK_UP_POLICIES_H
#define DP_ASKING_LOOK_UP_POLICIES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * A statement whose protected tables are read under their policies (row_security.h), with IN for EXISTS there, where
 * both say the same.  What the policies demand then names no more than the row and values, and may stand wherever the
 * table does.  The statement is changed in place.
 */
extern Query *dp_asking_look_up_policies(Query *query);

#endif							/* DP_ASKING_LOOK_UP_POLICIES_H */
