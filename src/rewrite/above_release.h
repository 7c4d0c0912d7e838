/* SPDX-License-Identifier: PostgreSQL */
/*
 * above_release.h
 *	  The part of a block in the outer query: keys become the release's key columns,
 *	  aggregates become conversions of its noisy totals, and nothing else may refer to
 *	  the protected rows.
 */
#ifndef DP_REWRITE_ABOVE_RELEASE_H
#define DP_REWRITE_ABOVE_RELEASE_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/* Replace keys and aggregates in the outer query by columns of the release. */
extern DpReason *dp_rewrite_rewrite_above(DpBlockRewrite *rewrite);

/*
 * Reason why a node of the outer query is refused, `depth` subqueries below the block's
 * level, since it is neither a key nor released; or NULL.
 */
extern DpReason *dp_rewrite_check_above(Node *node, int depth);

#endif							/* DP_REWRITE_ABOVE_RELEASE_H */
