/* SPDX-License-Identifier: PostgreSQL */
/*
 * warm_caches.h
 *	  Fill the caches of catalogs before protected rows are read, so that what is missing
 *	  in them afterwards reveals no row.
 *
 * The first row that reaches a function, a comparison or a TOASTed value may have the
 * session look up a type, a function, an operator or a table, and keep what it found.
 * Whether there was such a row could then be told from the pages that a later statement
 * of the session looks at, or from whether the statement fails where all locks there are
 * have been taken.  (Labels of enums: see enum_labels.h; TOASTed values of public tables: see
 * oblivious_plan.h.)  Builds with assertions fail if a row has anything looked up after this.
 */
#ifndef DP_SIDECHANNEL_WARM_CACHES_H
#define DP_SIDECHANNEL_WARM_CACHES_H

#include "postgres.h"

#include "nodes/execnodes.h"

/*
 * Fill catalog caches for a started exact plan before it reads protected rows, so that
 * cache misses reveal no row.  TOAST tables of the scanned tables are locked until the
 * transaction ends, and searched once.  Entries for sorting are read.  Unless the query
 * is NULL, so are those by which values of all types in the query are stored, compared
 * and hashed, and functions that are called by others.
 */
extern void dp_sidechannel_look_ahead(PlanState *plan, Query *query);

/*
 * The part of it that every transaction needs: lock the TOAST tables.  For a plan whose
 * catalog caches were filled before, with nothing dropped from the session's caches
 * since.
 */
extern void dp_sidechannel_lock_ahead(PlanState *plan);

/*
 * Make the visibility maps of scanned tables as long as the scans may.  A scan that
 * prunes the first page worth it would tell all sessions, this one too, and the
 * contents of caches from then on would depend on that.
 */
extern void dp_sidechannel_extend_maps(const PlannedStmt *plan);

#endif							/* DP_SIDECHANNEL_WARM_CACHES_H */
