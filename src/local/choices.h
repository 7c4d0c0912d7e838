/* SPDX-License-Identifier: PostgreSQL */
/*
 * choices.h
 *	  The values an answer can have, as analysts write them: a text array.
 */
#ifndef DP_LOCAL_CHOICES_H
#define DP_LOCAL_CHOICES_H

#include "postgres.h"

#include "utils/array.h"

/* A list of distinct values. */
typedef struct DpAnswerList
{
	ArrayType  *list;
	int			count;
	Datum	   *value;			/* of text, as listed */
	int		   *sorted;			/* places in the list, by value */
	MemoryContext context;		/* holds all this */
} DpAnswerList;

/*
 * The choices of argument `number` of a call.  They are kept in the call's
 * memory and read anew only when they change.  Raises 22023 or 22004 if they
 * are not between 2 and 10,000 distinct values.
 */
extern DpAnswerList *dp_local_choices(FunctionCallInfo fcinfo, int number);

/* Read a list into memory of its own below a context. */
extern DpAnswerList *dp_local_read_choices(const ArrayType *list, MemoryContext parent);

/* Where in the list a value is; raises 22023, without naming it, if nowhere. */
extern int	dp_local_find_choice(const DpAnswerList *choices, const text *value);

/* Does a list read before consist of these very bytes? */
extern bool dp_local_same_choices(const DpAnswerList *choices, const ArrayType *list);

/* An epsilon that can be randomised with; raises 22023 or 22004 otherwise. */
extern double dp_local_epsilon(FunctionCallInfo fcinfo, int number);

#endif							/* DP_LOCAL_CHOICES_H */
