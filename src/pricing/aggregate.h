/* SPDX-License-Identifier: PostgreSQL */
/*
 * aggregate.h
 *	  From an aggregate as written to the integers it is computed and released
 *	  with.
 */
#ifndef DP_PRICING_AGGREGATE_H
#define DP_PRICING_AGGREGATE_H

#include "postgres.h"

#include "pricing/aggregate_args.h"
#include "tree/statement.h"

/*
 * Validate the aggregate's arguments and calibrate its release with the
 * session's settings.  Returns NULL, or why it is not allowed.
 */
extern DpReason *dp_pricing_measure(Query *block, Aggref *aggref,
									const DpContribution *contribution,
									const DpStatement *statement, DpMeasure *measure);

/* Parts of an aggregate: equal() for those that one release answers. */
extern Node *dp_pricing_made_of(Aggref *aggref);

/* The release of a count of units, as used to threshold private groups. */
extern DpReason *dp_pricing_measure_units(const DpContribution *contribution, DpRelease *release);

/* The statement releases more than DP_MOST_RELEASES. */
extern DpReason *dp_pricing_too_many_releases(int location);

/*
 * FILTER of aggregates, as part of what they are over.
 */

/*
 * Have the aggregates of a block take NULL from rows that their FILTER leaves out, in place:
 * rows without a value do not count in any aggregate.
 */
extern void dp_pricing_fold_filters(Query *block);

#endif							/* DP_PRICING_AGGREGATE_H */
