/* SPDX-License-Identifier: PostgreSQL */
/*
 * listed_cells.h
 *	  Groups whose keys public tables list, as tuples of numbered values.
 *
 * Values are compared as the bytes that they are packed as: keys have one form alone
 * (canonical_key.c).  So their types need not be known.
 */
#ifndef DP_KEPT_LISTED_CELLS_H
#define DP_KEPT_LISTED_CELLS_H

#include "postgres.h"

#include "nodes/pg_list.h"

typedef struct DpListedKey
{
	List	   *values;			/* those that groups have, each once: Const of bytea */
	int		   *place;			/* of each group: which of them it has, from 0 */
} DpListedKey;

typedef struct DpListedCells
{
	int			groups;
	int			nkeys;
	DpListedKey *key;
} DpListedCells;

/* Read the groups of packed rows of so many columns, of which the first are the keys. */
extern DpListedCells *dp_kept_read_listed(bytea *packed, int columns, int nkeys);

/* The place of each of some values among others, both as above; -1 if it is not there. */
extern int *dp_kept_places_among(List *values, List *others);

#endif							/* DP_KEPT_LISTED_CELLS_H */
