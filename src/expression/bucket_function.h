/* SPDX-License-Identifier: PostgreSQL */
/*
 * bucket_function.h
 *	  Which functions are time_bucket of TimescaleDB and its like.
 */
#ifndef DP_EXPRESSION_BUCKET_FUNCTION_H
#define DP_EXPRESSION_BUCKET_FUNCTION_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* Is it TimescaleDB's own time_bucket, in C, which only a superuser makes? */
extern bool dp_expression_is_time_bucket(Oid function);

/* What to write in place of a call of such a function that has stayed; NULL if it is none. */
extern const char *dp_expression_hint_for_bucket(Node *node);

#endif							/* DP_EXPRESSION_BUCKET_FUNCTION_H */
