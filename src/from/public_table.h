/*
 * public_table.h
 *	  Tables that are not protected, and may be joined with protected rows.
 */
#ifndef DP_FROM_PUBLIC_TABLE_H
#define DP_FROM_PUBLIC_TABLE_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "utils/relcache.h"

#include "tree/reason.h"

/*
 * May protected rows be joined with this table that is not protected?  Nothing
 * in it may run code of its owner's, who may be the analyst, and its unique keys
 * have to hold for all it shows.
 */
extern DpReason *dp_query_check_public(RangeTblEntry *rte, Relation relation, int location);

/*
 * Is it a table whose rows are its own, and the same for whoever reads them?  Any other, such as a
 * temporary one or one with row security, is read for whoever asks (public_items.h).
 */
extern bool dp_query_is_joined_as_table(RangeTblEntry *rte);

/* May they be joined with it by a unique key that it has, and may whoever asks read it? */
extern bool dp_query_may_join_table(RangeTblEntry *rte);

#endif							/* DP_FROM_PUBLIC_TABLE_H */
