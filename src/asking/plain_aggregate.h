/* SPDX-License-Identifier: PostgreSQL */
/*
 * plain_aggregate.h
 *	  PostgreSQL's own aggregates as expressions over those of this extension.
 */
#ifndef DP_ASKING_PLAIN_AGGREGATE_H
#define DP_ASKING_PLAIN_AGGREGATE_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * The replacement of an aggregate: an expression of the aggregate's own type over
 * aggregates of ours, whose bounds follow from domains.  If there is none, a reason is
 * set that says what to write instead, and the aggregate is returned as it is.
 */
extern Node *dp_asking_private_form(Aggref *aggref, ParamListInfo params, DpReason **reason);

/* The condition that makes a block of a query that shows nothing but its keys. */
extern Node *dp_asking_make_keys_alone(int location);

/*
 * mode() WITHIN GROUP (ORDER BY x) over protected rows: the most frequent value.
 */

/* Is this aggregate mode? */
extern bool dp_asking_is_mode(const Aggref *aggref);

/*
 * Its replacement in a query without groups: a subquery over the same rows, which is a
 * block of its own and releases the first of a ranking, as dp_top does.  If there is
 * none a reason is set, and the aggregate is returned as it is.
 */
extern Node *dp_asking_mode_form(Query *query, Aggref *aggref, DpReason **reason);

/*
 * Have a query whose aggregates have all become subqueries make one row by itself.  Returns
 * NULL, or why it cannot.
 */
extern DpReason *dp_asking_forget_from(Query *query);

#endif							/* DP_ASKING_PLAIN_AGGREGATE_H */
