/* SPDX-License-Identifier: PostgreSQL */
/*
 * collect_values.h
 *	  Values of a column of public rows, gathered as the array that they become.
 *
 * They lie side by side from the first on, so that many small ones take little more than themselves.
 */
#ifndef DP_TREE_COLLECT_VALUES_H
#define DP_TREE_COLLECT_VALUES_H

#include "postgres.h"

typedef struct DpCollected
{
	Oid			type;			/* of the values */
	int16		length;
	bool		byval;
	char		align;
	int			count;
	char	   *data;			/* the values */
	Size		size;			/* of what they take of it, */
	Size		room;			/* and of what there is */
	uint8	   *there;			/* a bit for each: is it not NULL? */
	bool		has_null;
} DpCollected;

/* Begin to collect values of a type. */
extern void dp_tree_begin_collected(DpCollected *values, Oid type);

/* Add a value, in the memory context of the others; what it takes, or would take if many are as short as that. */
extern Size dp_tree_collect(DpCollected *values, Datum value, bool isnull, MemoryContext context);

/* All of them as an array of one dimension, in the current memory context; gives back what they took. */
extern Datum dp_tree_end_collected(DpCollected *values);

#endif							/* DP_TREE_COLLECT_VALUES_H */
