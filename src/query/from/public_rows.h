/*
 * public_rows.h
 *	  Rows of public items of FROM, as they have been read (public_items.h).
 */
#ifndef DP_QUERY_FROM_PUBLIC_ROWS_H
#define DP_QUERY_FROM_PUBLIC_ROWS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "query/from/from_item.h"

/*
 * Has an item that was lifted at most one row for each row of those joined before?  It
 * may, as long as its rows are not known, if it is joined by equality at all; then its
 * rows decide.
 */
extern bool dp_query_public_rows_match_once(const DpFromItem *leaf, List *equalities, Relids joined);

/* Has a lifted item so few rows that their values cannot be chosen to slow down a hash table? */
extern bool dp_query_has_few_rows(const RangeTblEntry *rte);

/*
 * Do the values of a column, which are known, share the buckets of a hash table as few as by
 * chance?
 */
extern bool dp_query_column_is_spread(const RangeTblEntry *rte, AttrNumber column);

#endif							/* DP_QUERY_FROM_PUBLIC_ROWS_H */
