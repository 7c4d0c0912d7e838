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

/*
 * Is splitting a text by this regular expression work that grows with its length, and no faster?  Known of one
 * character or set of characters, perhaps with +, before and after which any number of others may stand; and of
 * several characters or sets, after which any number of others may stand.
 */
extern bool dp_expression_splits_evenly(const text *pattern);

#endif							/* DP_EXPRESSION_REGULAR_H */
