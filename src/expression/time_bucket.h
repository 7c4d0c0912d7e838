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

/*
 * The same value, but for errors, of built-in functions alone; NULL if the call is none of time_bucket, if the role
 * may not make it, or if there are no such functions.  All arguments but the time are constants, or parameters with
 * a value.
 */
extern Node *dp_expression_built_in_bucket(const FuncExpr *call, ParamListInfo params);

#endif							/* DP_EXPRESSION_TIME_BUCKET_H */
