/* SPDX-License-Identifier: PostgreSQL */
/*
 * regular.h
 *	  Regular expressions whose work is bounded.
 */
#ifndef DP_EXPRESSION_REGULAR_H
#define DP_EXPRESSION_REGULAR_H

#include "postgres.h"

/* Largest size of a regular expression. */
#define DP_MAX_REGULAR_SIZE 255

/*
 * The size of a regular expression: its bytes, and once more what is repeated by {n} for each
 * time.  More than DP_MAX_REGULAR_SIZE of what is not matched over protected rows.
 */
extern int	dp_expression_regular_size(const text *pattern);

#endif							/* DP_EXPRESSION_REGULAR_H */
