/*
 * plain_aggregate.h
 *	  PostgreSQL's own aggregates as expressions over those of this extension.
 */
#ifndef DP_ASKING_PLAIN_AGGREGATE_H
#define DP_ASKING_PLAIN_AGGREGATE_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/primnodes.h"

#include "tree/reason.h"

/*
 * What stands for an aggregate: an expression of the aggregate's own type over aggregates
 * of ours, whose bounds follow from domains.  If there is none, a reason is set that says
 * what to write instead, and the aggregate is returned as it is.
 */
extern Node *dp_query_private_form(Aggref *aggref, ParamListInfo params, DpReason **reason);

/* The condition that makes a block of a query that shows nothing but its keys. */
extern Node *dp_query_make_keys_alone(int location);

#endif							/* DP_ASKING_PLAIN_AGGREGATE_H */
