/* SPDX-License-Identifier: PostgreSQL */
/*
 * bounded.c
 *	  Aggregates of a value within bounds: their arguments, and these bounds on a grid.
 *
 * Everything here depends on the statement's text, the settings and the declared policy alone; no data is read.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"

#include "expression/validate.h"
#include "from/contribution.h"
#include "pricing/aggregate_args.h"
#include "pricing/bounded.h"
#include "pricing/kind.h"
#include "tree/reason.h"

/* Largest bound in grid units: leaves room for differences in 64 bits. */
#define MAX_GRID_BOUND_EXPONENT 61

bool
dp_pricing_has_integers(Aggref *aggref)
{
	return list_nth_oid(aggref->aggargtypes, 1) == INT8OID;
}

void
dp_pricing_set_bounds(DpMeasure *measure, int grid)
{
	double		largest = Max(fabs(measure->lower), fabs(measure->upper));

	if (largest > 0)
		grid = Max(grid, ilogb(largest) + 1 - MAX_GRID_BOUND_EXPONENT);
	measure->spec.grid = grid;
	measure->spec.lower = (int64) rint(ldexp(measure->lower, -grid));
	measure->spec.upper = (int64) rint(ldexp(measure->upper, -grid));
	measure->spec.max_rows = measure->most_rows;
	measure->spec.lower_value = measure->lower;
	measure->spec.upper_value = measure->upper;
}

/*
 * The grid is finer by so many bits where distinct values are told apart on it.  Noise is 2^53
 * grid units then at most, and answers, in 64 bits, have room for it.
 */
#define FINER_BITS 12

int
dp_pricing_bounded_grid(const DpMeasure *measure, const DpContribution *contribution, int parts, double bound,
						bool integral)
{
	const DpRelease *release = &measure->release;
	int			grid = dp_accounting_grid(contribution->pricing->mechanism, release->epsilon, release->delta,
										  contribution->max_groups, parts, bound, integral);

	if (!measure->distinct_values || integral || contribution->pricing->mechanism == DP_GAUSSIAN)
		return grid;
	return Max(grid - FINER_BITS, ilogb(bound) + 1 - MAX_GRID_BOUND_EXPONENT);
}

DpReason *
dp_pricing_read_bounded(Query *block, const DpContribution *contribution, const DpStatement *statement,
						DpMeasure *measure, const DpKind *kind)
{
	Aggref	   *aggref = measure->aggref;
	Node	   *value = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	Node	   *lower = (Node *) lsecond_node(TargetEntry, aggref->args)->expr;
	Node	   *upper = (Node *) lthird_node(TargetEntry, aggref->args)->expr;
	double		epsilon;
	DpReason   *reason;

	measure->distinct_values = aggref->aggdistinct != NIL;
	measure->most_rows = aggref->aggdistinct ? contribution->max_values : contribution->max_rows;
	reason = dp_pricing_read_number(lower, "lower bound", statement, &measure->lower);
	if (reason == NULL)
		reason = dp_pricing_read_number(upper, "upper bound", statement, &measure->upper);
	if (reason == NULL)
		reason = dp_pricing_read_epsilon(aggref, 3, statement, &epsilon);
	if (reason)
		return reason;
	if (measure->lower > measure->upper)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(lower), NULL,
								 "lower bound must not be greater than upper bound");
	measure->value = dp_expression_validate_expression(block, value, statement, &reason);
	if (reason)
		return reason;
	measure->value_type = linitial_oid(aggref->aggargtypes);
	dp_pricing_init_release(contribution->pricing, &measure->release, kind, epsilon);
	measure->release.rounded = aggref->aggtype == INT8OID;
	return NULL;
}
