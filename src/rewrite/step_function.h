/* SPDX-License-Identifier: PostgreSQL */
/*
 * step_function.h
 *	  Expressions of a column whose value stays the same over stretches of the column's values.
 */
#ifndef DP_REWRITE_STEP_FUNCTION_H
#define DP_REWRITE_STEP_FUNCTION_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* How an expression follows its column. */
typedef struct DpShape
{
	bool		known;			/* does it call nothing but what is known to be a function of its
								 * arguments? */
	bool		fixed;			/* is it constant? */
	bool		monotone;		/* does it never turn back? */
	bool		steps;			/* does it stay the same over stretches? */
	int64		grain;			/* over such, or longer, if it is one of time: in microseconds; 0
								 * if not */
	int64		window;			/* within so much time it has all its values; 0: no such */
	const char *zone;			/* all of this holds between two changes of this time zone's
								 * clocks, at which it may be any; NULL: none */
	int64		shift;			/* these are looked up for values so much later, in microseconds */
	Node	   *of;				/* what it is fields of, or the beginning of a calendar's stretch;
								 * or NULL */
} DpShape;

/* The shape of a validated expression whose only column is `var`. */
extern DpShape dp_rewrite_shape(Node *expr, const Var *var);

#endif							/* DP_REWRITE_STEP_FUNCTION_H */
