/* SPDX-License-Identifier: PostgreSQL */
/*
 * table_trust.h
 *	  May the analyst have chosen what a public table holds?
 */
#ifndef DP_FROM_TABLE_TRUST_H
#define DP_FROM_TABLE_TRUST_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "utils/relcache.h"

#include "tree/reason.h"

/*
 * Mark public tables whose contents the analyst may have chosen, of items joined with
 * these protected tables: by setting checkAsUser to the asking role.  The check is the same
 * as with InvalidOid; the value serves only as a flag.
 */
extern void dp_from_mark_untrusted(List *leaves, List *tables);

/*
 * Does a query read a table that is so marked, or a subquery that shows something made of one's values or
 * of many public rows?
 */
extern bool dp_from_has_untrusted(Query *query);

/*
 * Tables that are not protected, and may be joined with protected rows.
 */

/*
 * May protected rows be joined with this table that is not protected?  Nothing
 * in it may run code of its owner's, who may be the analyst, and its unique keys
 * have to hold for all it shows.
 */
extern DpReason *dp_from_check_public(RangeTblEntry *rte, Relation relation, int location);

/*
 * Is it a table whose rows are its own, and the same for whoever reads them?  Any other, such as a
 * temporary one or one with row security, is read for whoever asks (public_items.h).
 */
extern bool dp_from_is_joined_as_table(RangeTblEntry *rte);

/* May they be joined with it by a unique key that it has, and may whoever asks read it? */
extern bool dp_from_may_join_table(RangeTblEntry *rte);

#endif							/* DP_FROM_TABLE_TRUST_H */
