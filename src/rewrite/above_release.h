/* SPDX-License-Identifier: PostgreSQL */
/*
 * above_release.h
 *	  The part of a block above its release: keys become the release's key
 *	  columns, aggregates become conversions of its noisy totals, and nothing
 *	  else may refer to the protected rows.
 */
#ifndef DP_REWRITE_ABOVE_RELEASE_H
#define DP_REWRITE_ABOVE_RELEASE_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/* Replace keys and aggregates above the release by its columns. */
extern DpReason *dp_rewrite_rewrite_above(DpBlockRewrite *rewrite);

/*
 * What speaks against a node above a release that is neither a key nor released, as many
 * subqueries below the block's level; or NULL.
 */
extern DpReason *dp_rewrite_check_above(Node *node, int depth);

#endif							/* DP_REWRITE_ABOVE_RELEASE_H */
