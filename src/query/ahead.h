/*
 * ahead.h
 *	  Looking up below a release what a row would make PostgreSQL look up or read.
 *
 * A session that reads a value out of line for the first time looks up the table it
 * lies in and its index, keeps what it found, and needs a lock on both; one that takes
 * the first value of an aggregate with DISTINCT looks up how to sort it.  Whether any
 * protected row made it do so could be told from the pages that it looks at the next
 * time, for values of the analyst's own, or from whether it fails where all locks there
 * are have been taken.  Which long values of a public table protected rows led to would
 * show in what has come into shared buffers.  (Labels of enums: see enums.h.)
 */
#ifndef DP_QUERY_AHEAD_H
#define DP_QUERY_AHEAD_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"
#include "utils/snapshot.h"

/*
 * For all nodes of an exact plan, before anything of it has run: look up, lock until the
 * transaction ends and search once what its tables keep long values in; and look up how
 * its aggregates sort.
 */
extern void dp_query_look_ahead(PlanState *plan);

/* The same for a parallel worker's part of a plan, if it is part of an exact one. */
extern void dp_query_look_ahead_worker(PlanState *plan);

/*
 * The columns of public tables that an exact query looks at and that may have values out
 * of line: for each item of FROM a list of OIDs, of the table and the columns' numbers.
 */
extern List *dp_query_public_columns(Query *exact);

/*
 * Read the values that these columns have out of line, in all rows: those that protected
 * rows lead to are read again then, and nobody sees by what has come into shared buffers
 * which they were.
 */
extern void dp_query_read_long_values(List *columns, Snapshot snapshot);

#endif							/* DP_QUERY_AHEAD_H */
