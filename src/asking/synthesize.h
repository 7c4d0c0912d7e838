/*
 * synthesize.h
 *	  dp_synthesize as the block it stands for.
 */
#ifndef DP_ASKING_SYNTHESIZE_H
#define DP_ASKING_SYNTHESIZE_H

#include "postgres.h"

#include "asking/call_text.h"
#include "pricing/aggregate_args.h"
#include "tree/statement.h"

/*
 * The query that dp_synthesize(relation, columns, rows, epsilon, filter) stands for.
 * Returns NULL, or why it is not allowed.
 */
extern DpReason *dp_asking_write_synthesize(DpCall *call, char **text);

/*
 * The aggregate that synthetic rows are made of: pair_tables(cells int4[], epsilon).
 */

/* Is this that aggregate? */
extern bool dp_asking_is_pair_tables(const Aggref *aggref);

/*
 * Validate its cells, which are buckets and places, and calibrate its release with the session's settings.
 * Returns NULL, or why it is not allowed.
 */
extern DpReason *dp_asking_measure_synthesis(Query *block, Aggref *aggref,
											 const DpContribution *contribution,
											 const DpStatement *statement, DpMeasure *measure);

#endif							/* DP_ASKING_SYNTHESIZE_H */
