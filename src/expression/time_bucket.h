/* SPDX-License-Identifier: PostgreSQL */
/*
 * time_bucket.h
 *	  time_bucket of TimescaleDB, written with built-in functions.
 */
#ifndef DP_EXPRESSION_TIME_BUCKET_H
#define DP_EXPRESSION_TIME_BUCKET_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/primnodes.h"

/* Is it TimescaleDB's own time_bucket, in C, which only a superuser makes? */
extern bool dp_expression_is_time_bucket(Oid function);

/*
 * The same value, but for errors, of built-in functions alone; NULL if the call is none of time_bucket, if the role
 * may not make it, or if there are no such functions.  All arguments but the time are constants, or parameters with
 * a value.
 */
extern Node *dp_expression_built_in_bucket(const FuncExpr *call, ParamListInfo params);

/* What to write in place of a call of such a function that has stayed; NULL if it is none. */
extern const char *dp_expression_hint_for_bucket(Node *node);

#endif							/* DP_EXPRESSION_TIME_BUCKET_H */
