/*
 * plain_mode.h
 *	  mode() WITHIN GROUP (ORDER BY x) over protected rows: the most frequent value.
 */
#ifndef DP_ASKING_PLAIN_MODE_H
#define DP_ASKING_PLAIN_MODE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"

/* Is this aggregate mode? */
extern bool dp_query_is_mode(const Aggref *aggref);

/*
 * What stands for it in a query without groups: a sub-select over the same rows, which is a
 * block of its own and releases the first of a ranking, as dp_top does.  If there is none a
 * reason is set, and the aggregate is returned as it is.
 */
extern Node *dp_query_mode_form(Query *query, Aggref *aggref, DpReason **reason);

/*
 * Have a query whose aggregates have all become sub-selects make one row by itself.  Returns
 * NULL, or why it cannot.
 */
extern DpReason *dp_query_forget_from(Query *query);

#endif							/* DP_ASKING_PLAIN_MODE_H */
