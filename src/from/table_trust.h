/*
 * table_trust.h
 *	  May the analyst have chosen what a public table holds?
 */
#ifndef DP_FROM_TABLE_TRUST_H
#define DP_FROM_TABLE_TRUST_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Is it certain that whoever asks had no hand in what a public table holds? */
extern bool dp_query_is_trusted(Oid relid, List *tables);

/*
 * Mark public tables whose contents the analyst may have chosen, of items joined with
 * these protected tables: by setting checkAsUser to the asking role.  The check is the same
 * as with InvalidOid; the value serves only as a flag.
 */
extern void dp_query_mark_untrusted(List *leaves, List *tables);

/*
 * Does a query read a table that is so marked, or a sub-select that shows something made of one's values or
 * of many public rows?
 */
extern bool dp_query_has_untrusted(Query *query);

#endif							/* DP_FROM_TABLE_TRUST_H */
