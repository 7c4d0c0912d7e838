/* SPDX-License-Identifier: PostgreSQL */
/*
 * joint.h
 *	  Aggregates of one column that one release answers.
 *
 * Where each row is a unit, the totals of a mean hold the number of rows and their
 * sum, and those of a variance the mean too.  An aggregate takes its answer from
 * such totals, instead of a release of its own, if the other release can be made
 * so accurate that no answer errs more than it would by itself, and costs less so.
 */
#ifndef DP_PRICING_JOINT_H
#define DP_PRICING_JOINT_H

#include "postgres.h"

#include "pricing/aggregate_args.h"
#include "pricing/kind.h"

/*
 * Choose among the measures of a block which are answered from another's totals:
 * carrier and weight are set in these, and what carries them is calibrated anew.
 * `counts_groups`: dp_count(*) decides which groups there are, and stays as it is.
 */
extern void dp_pricing_join_measures(const Query *block, List *measures, const DpContribution *contribution,
									 bool counts_groups);

/* The total of a count or sum, in units of 2^grid, from those of its carrier. */
extern Node *dp_pricing_joint_total(const DpMeasure *measure, Var *totals, int grid);

/* The grid of a count or sum that another release answers. */
static inline int
dp_pricing_grid_of_part(const DpMeasure *measure)
{
	return dp_kind(&measure->release)->counts ? 0 : measure->spec.grid;
}

/* The answer that a measure is among those of its carrier's release. */
static inline const DpAnswer *
dp_pricing_answer_of(const DpMeasure *measure, const DpRelease *release)
{
	return &release->answer[measure->answer];
}

#endif							/* DP_PRICING_JOINT_H */
