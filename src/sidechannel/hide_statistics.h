/* SPDX-License-Identifier: PostgreSQL */
/*
 * hide_statistics.h
 *	  What a hardened database withholds from a role, shown as unknown.
 */
#ifndef DP_SIDECHANNEL_HIDE_STATISTICS_H
#define DP_SIDECHANNEL_HIDE_STATISTICS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Is this a function that tells how large something is? */
extern bool dp_sidechannel_is_size(Oid function);

/* Does the statement itself read counts of tables through this entry of FROM? */
extern bool dp_sidechannel_reads_counts(Query *query, RangeTblEntry *rte);

/*
 * The statement with unknown values in place of those that the current role may not
 * read.  It is the same tree if the role may read all, otherwise a copy, whose plan is
 * for this role only. `counts` and `sizes` tell which of them are in it.
 */
extern Query *dp_sidechannel_withhold_unknown(Query *query, bool counts, bool sizes);

#endif							/* DP_SIDECHANNEL_HIDE_STATISTICS_H */
