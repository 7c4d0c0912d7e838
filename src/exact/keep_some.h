/*
 * keep_some.h
 *	  Keeping some rows of each group of a query, chosen at random.
 */
#ifndef DP_EXACT_KEEP_SOME_H
#define DP_EXACT_KEEP_SOME_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * A query of at most `limit` of the rows that have the same values in these columns (of int) of
 * `rows`: a uniformly random choice that depends on nothing but those rows.  It has no output
 * yet; column n of `rows` is column n of its only item.
 */
extern Query *dp_query_keep_some(Query *rows, List *columns, int limit);

#endif							/* DP_EXACT_KEEP_SOME_H */
