/*
 * synthesis_cells.h
 *	  The aggregate that synthetic rows are made of: pair_tables(cells int4[], epsilon).
 */
#ifndef DP_ASKING_SYNTHESIS_CELLS_H
#define DP_ASKING_SYNTHESIS_CELLS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "pricing/aggregate_args.h"
#include "from/contribution.h"
#include "tree/reason.h"

/* Is this that aggregate? */
extern bool dp_query_is_pair_tables(const Aggref *aggref);

/*
 * Validate its cells, which are buckets and places, and calibrate its release with the session's settings.
 * Returns NULL, or why it is not allowed.
 */
extern DpReason *dp_query_measure_synthesis(Query *block, Aggref *aggref,
											const DpContribution *contribution,
											ParamListInfo params, DpMeasure *measure);

#endif							/* DP_ASKING_SYNTHESIS_CELLS_H */
