/* SPDX-License-Identifier: PostgreSQL */
/*
 * base_types.h
 *	  Columns of domains and of citext, and time_bucket of TimescaleDB, in a statement.
 */
#ifndef DP_ASKING_BASE_TYPES_H
#define DP_ASKING_BASE_TYPES_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

/*
 * A statement whose columns of domains are of their base types, and whose columns of citext are texts, compared in
 * lower case, at any depth; and in which count(x), with x a column of a type that nothing else may be done with,
 * counts where x is not NULL; and in which built-in functions of the same value stand for time_bucket.  Itself if there
 * is nothing of that.  Parameters are taken by what is bound to them.
 */
extern Query *dp_asking_read_base_types(Query *query, ParamListInfo params);

#endif							/* DP_ASKING_BASE_TYPES_H */
