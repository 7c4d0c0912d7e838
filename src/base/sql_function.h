/* SPDX-License-Identifier: PostgreSQL */
/*
 * sql_function.h
 *	  SQL functions of which there is one for each type.
 */
#ifndef DP_BASE_SQL_FUNCTION_H
#define DP_BASE_SQL_FUNCTION_H

#include "postgres.h"

#include "fmgr.h"

/* An SQL function that returns a Datum, which is made of fcinfo. */
#define DP_SQL_FUNCTION(name, result) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		return result; \
	} \
	extern Datum name(PG_FUNCTION_ARGS)

#endif							/* DP_BASE_SQL_FUNCTION_H */
