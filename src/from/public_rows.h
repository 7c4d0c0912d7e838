/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_rows.h
 *	  Rows of public items of FROM, as they have been read (public_items.h).
 */
#ifndef DP_FROM_PUBLIC_ROWS_H
#define DP_FROM_PUBLIC_ROWS_H

#include "postgres.h"

#include "from/from_item.h"
#include "tree/public_params.h"

/*
 * The columns that tell the rows of an item that was lifted apart, and by which it is joined, so that it has at
 * most one row for each row of those joined before; NIL if there are none.  Its
 * text alone decides, since a price must not depend on what is read.  It is joined by
 * equality on all columns of its DISTINCT, GROUP BY or UNION, be it of what a block released, on those
 * that tell its VALUES apart, on what generate_series makes, or on a unique key of the table that it
 * selects from.  Clears *certain if an older snapshot might see that otherwise.
 */
extern List *dp_from_public_rows_told_apart(const DpFromItem *leaf, List *equalities, Relids joined,
											bool *certain);

/*
 * Most rows of a lifted item that have the same values in these columns (of int), none of them
 * NULL, or all of its rows if there are no columns; 0 as long as they are not known.
 */
extern int	dp_from_public_rows_alike(const DpPublicReads *reads, const RangeTblEntry *rte, List *columns);

/* Has a lifted item so few rows that their values cannot be chosen to slow down a hash table? */
extern bool dp_from_has_few_rows(const RangeTblEntry *rte);

/*
 * Do the values of a column, which are known, share the buckets of a hash table as few as by
 * chance?
 */
extern bool dp_from_column_is_spread(const RangeTblEntry *rte, AttrNumber column);

#endif							/* DP_FROM_PUBLIC_ROWS_H */
