/* SPDX-License-Identifier: PostgreSQL */
/*
 * noise_notice.h
 *	  A notice where noise is most of an answer.
 */
#ifndef DP_STATEMENT_NOISE_NOTICE_H
#define DP_STATEMENT_NOISE_NOTICE_H

#include "postgres.h"

#include "nodes/pg_list.h"

struct DpOpening;

/*
 * Look, in the rows that the release nodes of a statement hold, in which columns half of the 95 % interval is more than half of
 * the value, and in how many rows.  It depends on released values and on what is public alone.  Nodes that show what another
 * holds are left out, and those whose rows are sums of kept ones.
 */
extern void dp_statement_look_for_drowned(struct DpOpening *opening);

/*
 * Say so, with what would help: once for all of them, and for the columns of the statement that were noted (rewrite/noted_columns.h)
 * while its first rows were fetched.  `context` is the memory of its executor; of a statement without releases nothing is said.
 */
extern void dp_statement_tell_of_shown(MemoryContext context);

#endif							/* DP_STATEMENT_NOISE_NOTICE_H */
