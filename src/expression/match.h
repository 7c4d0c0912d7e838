/* SPDX-License-Identifier: PostgreSQL */
/*
 * match.h
 *	  LIKE, ILIKE and position() of any pattern, in time that the sizes alone bound.
 */
#ifndef DP_EXPRESSION_MATCH_H
#define DP_EXPRESSION_MATCH_H

#include "postgres.h"

#include "fmgr.h"

/*
 * LIKE and ILIKE, or their negation, as the function that is called says.  A pattern that ends in an escape
 * character matches nothing, and one that is longer than DP_MAX_GUIDE_SIZE is NULL.  Text of the database
 * encoding is matched byte by byte.
 */
extern Datum dp_expression_match(PG_FUNCTION_ARGS);

/* position(), or NULL for a text that is longer than that. */
extern Datum dp_expression_position(PG_FUNCTION_ARGS);

#endif							/* DP_EXPRESSION_MATCH_H */
