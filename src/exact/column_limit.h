/* SPDX-License-Identifier: PostgreSQL */
/*
 * column_limit.h
 *	  How many columns the rows of an exact plan can have, from node to node.
 *
 * A row is put together where it is sorted, hashed, written to a file or sent by a
 * worker.  One of more columns than a row may have, or of more bytes than PostgreSQL
 * gives at once, is an error then; where there is no row there is none, and whether
 * anybody passes a condition would show.  So the columns are counted before, for any
 * plan that there may be.
 */
#ifndef DP_EXACT_COLUMN_LIMIT_H
#define DP_EXACT_COLUMN_LIMIT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * Reason why an exact query of these measures is refused (of DpMeasure): 54011, if rows
 * of a level could have too many columns, a summary of a quantile being counted by the
 * longest values that could stand in its place.  Or NULL.
 */
extern DpReason *dp_exact_check_width(Query *exact, List *measures);

#endif							/* DP_EXACT_COLUMN_LIMIT_H */
