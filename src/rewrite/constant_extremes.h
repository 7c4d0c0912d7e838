/* SPDX-License-Identifier: PostgreSQL */
/*
 * constant_extremes.h
 *	  min and max of what is the same in all rows of a block.
 *
 *		SELECT city, count(*) * 100.0 / max(t.n) FROM people, (SELECT count(*) AS n FROM people) t GROUP BY city
 *
 * SQL demands an aggregate of t.n, or a key.  The item has one row, so all values are one: what the item's
 * query returns.  It is read where the released rows are, and nothing is released for it.
 */
#ifndef DP_REWRITE_CONSTANT_EXTREMES_H
#define DP_REWRITE_CONSTANT_EXTREMES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/public_params.h"

/*
 * Replace such aggregates in a block whose FROM is flattened, in place, unless it would have none left then: it
 * is by them that it is a block.
 */
extern void dp_rewrite_read_constant_extremes(Query *block, const DpPublicReads *reads);

#endif							/* DP_REWRITE_CONSTANT_EXTREMES_H */
