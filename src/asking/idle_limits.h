/* SPDX-License-Identifier: PostgreSQL */
/*
 * idle_limits.h
 *	  LIMIT and OFFSET that leave every row where it is.
 */
#ifndef DP_ASKING_IDLE_LIMITS_H
#define DP_ASKING_IDLE_LIMITS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

/*
 * A statement without OFFSET of 0 or NULL and LIMIT of NULL, which LIMIT ALL is, in queries that read protected
 * rows, at any depth; itself if it has neither.  A parameter counts by the value that is bound to it.
 */
extern Query *dp_asking_drop_idle_limits(Query *query, ParamListInfo params);

#endif							/* DP_ASKING_IDLE_LIMITS_H */
