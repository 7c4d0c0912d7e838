/* SPDX-License-Identifier: PostgreSQL */
/*
 * by_value.h
 *	  What a query computes of no row, as the value that it has now.
 */
#ifndef DP_KEPT_BY_VALUE_H
#define DP_KEPT_BY_VALUE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * A validated query with now(), CURRENT_DATE and the like, and what else depends on time
 * or settings and on no row, replaced by its value: each the largest expression that
 * can be computed.  The query itself if there is nothing of the kind; a copy otherwise.
 *
 * No error comes of it: what is admitted answers for every value (validate.c).
 */
extern const Query *dp_kept_by_value(const Query *query);

/* Can an expression be computed here: is it of no row, and is nothing run that is not built in? */
extern bool dp_kept_can_compute(Node *expr);

#endif							/* DP_KEPT_BY_VALUE_H */
