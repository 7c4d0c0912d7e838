/* SPDX-License-Identifier: PostgreSQL */
/*
 * bounded.h
 *	  Aggregates of a value within bounds: their arguments, and these bounds on a grid.
 */
#ifndef DP_PRICING_BOUNDED_H
#define DP_PRICING_BOUNDED_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "from/contribution.h"
#include "pricing/aggregate_args.h"
#include "pricing/kind.h"
#include "tree/reason.h"
#include "tree/statement.h"

/* Read value, bounds and epsilon, and begin a release of that kind; or why they are not allowed. */
extern DpReason *dp_pricing_read_bounded(Query *block, const DpContribution *contribution, const DpStatement *statement,
										 DpMeasure *measure, const DpKind *kind);

/* Is the bound type of this aggregate an integer type? */
extern bool dp_pricing_has_integers(Aggref *aggref);

/*
 * Put the bounds on the grid.  The grid is the one the noise asks for, made
 * coarser where the bounds themselves would not fit in 62 bits.
 */
extern void dp_pricing_set_bounds(DpMeasure *measure, int grid);

/* A grid for noise of this bound, finer for distinct values. */
extern int	dp_pricing_bounded_grid(const DpMeasure *measure, const DpContribution *contribution, int parts,
									double bound, bool integral);

#endif							/* DP_PRICING_BOUNDED_H */
