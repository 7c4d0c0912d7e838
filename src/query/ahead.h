/*
 * ahead.h
 *	  Looking up below a release what a row would make PostgreSQL look up.
 *
 * A session that reads a value out of line for the first time looks up the table it
 * lies in and its index, keeps what it found, and needs a lock on both; one that takes
 * the first value of an aggregate with DISTINCT looks up how to sort it.  Whether any
 * protected row made it do so could be told from the pages that it looks at the next
 * time, for values of the analyst's own, or from whether it fails where all locks there
 * are have been taken.  (Labels of enums: see enums.h; long values of public tables: see
 * whole.h.)
 */
#ifndef DP_QUERY_AHEAD_H
#define DP_QUERY_AHEAD_H

#include "postgres.h"

#include "nodes/execnodes.h"

/*
 * For all nodes of an exact plan, before anything of it has run: look up, lock until the
 * transaction ends and search once what its tables keep long values in; and look up how
 * its aggregates sort.
 */
extern void dp_query_look_ahead(PlanState *plan);

#endif							/* DP_QUERY_AHEAD_H */
