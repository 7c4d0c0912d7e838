/* SPDX-License-Identifier: PostgreSQL */
/*
 * rewrite.h
 *	  From a statement as parsed to one that reads releases, and the exact
 *	  queries of its blocks.
 *
 * A block
 *
 *		SELECT e(keys, dp_agg(...)) FROM protected WHERE ... GROUP BY keys HAVING h
 *
 * becomes
 *
 *		SELECT e(release columns) FROM (columns of the release) dp_release WHERE h
 *
 * which is all post-processing, and
 *
 *		SELECT keys, exact totals FROM protected WHERE ... GROUP BY keys
 *
 * which is a statement of its own that the release node alone runs (opening.c).
 */
#ifndef DP_REWRITE_REWRITE_H
#define DP_REWRITE_REWRITE_H

#include "postgres.h"

#include "pricing/block_rewrite.h"
#include "tree/statement.h"

/*
 * A statement, whose calls are expanded, with all its blocks rewritten, which are entered in `statement`; or
 * NULL, and why it is not allowed.
 */
extern Query *dp_rewrite_rewrite(const Query *query, DpStatement *statement, DpReason **reason);

#endif							/* DP_REWRITE_REWRITE_H */
