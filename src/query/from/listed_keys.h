/*
 * listed_keys.h
 *	  Group keys that public tables list.
 *
 *		SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.clinic GROUP BY c.name
 *
 * Which keys there are is read from the public tables alone, so it tells nothing
 * of protected rows: every key is answered, and no threshold is paid for.
 */
#ifndef DP_QUERY_FROM_LISTED_KEYS_H
#define DP_QUERY_FROM_LISTED_KEYS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"

#include "query/from/contribution.h"

/* Most keys that are answered. */
#define DP_MOST_KEYS 1000000

struct DpShape;

/*
 * Have an outer join that keeps the rows of public tables, whether protected
 * ones match or not, return only those that match: the others hold no
 * protected row, and count nowhere.  The range table goes on calling it an outer
 * join.  False if it is any other join.
 */
extern bool dp_query_match_listed(Query *query, JoinExpr *join);

/* Tell what is above such joins of a query that they put no NULLs there. */
extern void dp_query_forget_nulls(Query *query);

/*
 * The side of such a join that has the public tables, and in *matched the other;
 * NULL if it is any other join.
 */
extern Node *dp_query_listing_side(Query *query, JoinExpr *join, Node **matched);

/*
 * Set what of FROM lists keys, given what is joined, what is left-joined to it
 * and all conditions; see DpContribution.
 */
extern void dp_query_find_listing(Query *query, List *leaves, List *conditions, List *inner,
								  List *outer, DpContribution *contribution);

/* Do public tables list all of the block's keys? */
extern bool dp_query_keys_are_listed(const struct DpShape *shape);

/* The query that lists them, in their order. */
extern Query *dp_query_list_keys(const struct DpShape *shape);

/* Keys that were listed, one after the other. */
typedef struct DpKeys DpKeys;

/*
 * read_listed_keys.c: read all keys from their started plan, into the current memory context.
 * Raises an error if there are more than can be answered.
 */
extern DpKeys *dp_query_read_keys(PlanState *plan);

/* Move to the next key; false after the last. */
extern bool dp_query_next_key(DpKeys *keys);

/* The current key. */
extern TupleTableSlot *dp_query_current_key(const DpKeys *keys);

/* How the current key compares with that of an exact row: less than, equal to or greater than 0. */
extern int	dp_query_compare_key(DpKeys *keys, TupleTableSlot *exact);

extern void dp_query_end_keys(DpKeys *keys);

#endif							/* DP_QUERY_FROM_LISTED_KEYS_H */
