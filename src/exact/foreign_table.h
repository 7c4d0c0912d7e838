/* SPDX-License-Identifier: PostgreSQL */
/*
 * foreign_table.h
 *	  Protected tables with partitions on other servers.
 *
 * Those servers add up the rows of each unit and group they hold, and send
 * nothing else: a block for which postgres_fdw cannot leave that to them is
 * refused.  A unit is put together here, from its parts on all servers.
 */
#ifndef DP_EXACT_FOREIGN_TABLE_H
#define DP_EXACT_FOREIGN_TABLE_H

#include "postgres.h"

#include "nodes/plannodes.h"

#include "pricing/block_rewrite.h"

/*
 * May a block with all its measures be answered, as far as other servers are
 * concerned?  Notes in its contribution whether there are any.
 */
extern DpReason *dp_exact_check_foreign(DpBlockRewrite *rewrite, int location);

/*
 * While an exact query is planned: leave it to the other server to group the rows of a
 * foreign table.  False if postgres_fdw cannot.
 */
extern bool dp_exact_group_remotely(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
									void *extra);

/* Does a finished plan fetch rows from another server as they are? */
extern bool dp_exact_fetches_rows(Plan *plan);

/* Why a block is refused whose rows would have to be fetched. */
extern DpReason *dp_exact_fetching(int location);

#endif							/* DP_EXACT_FOREIGN_TABLE_H */
