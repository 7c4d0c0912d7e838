/* SPDX-License-Identifier: PostgreSQL */
/*
 * noise_notice.h
 *	  A notice where noise is most of an answer.
 */
#ifndef DP_STATEMENT_NOISE_NOTICE_H
#define DP_STATEMENT_NOISE_NOTICE_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * Say of the rows that release nodes (of DpReleaseState) hold, in which columns half of the 95 % interval is more than half of
 * the value, in how many rows, and what would help: once for all of them.  It depends on released values and
 * on what is public alone.  Nodes that show what another holds are left out, and those whose rows
 * are sums of kept ones.
 */
extern void dp_statement_tell_of_drowned(List *nodes);

#endif							/* DP_STATEMENT_NOISE_NOTICE_H */
