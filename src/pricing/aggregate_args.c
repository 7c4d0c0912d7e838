/* SPDX-License-Identifier: PostgreSQL */
/*
 * aggregate_args.c
 *	  Constant arguments of aggregates, and the calibration of their releases.
 *
 * Everything here depends on the statement's text, the settings and the
 * declared policy alone; no data is read.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "accounting/calibrate.h"
#include "expression/fold_constants.h"
#include "from/contribution.h"
#include "policy/domain.h"
#include "pricing/aggregate_args.h"
#include "pricing/release.h"
#include "tree/public_params.h"
#include "tree/reason.h"

/* How many microseconds an interval is; infinite if it has months, which differ in length. */
static double
microseconds_of(const Interval *interval)
{
	if (interval->month != 0)
		return INFINITY;
	return interval->day * (double) USECS_PER_DAY + (double) interval->time;
}

/* Hint about an argument that is no constant. */
static const char *
constant_hint(const DpStatement *statement, Node *arg)
{
	if (dp_tree_show_public(&statement->reads, arg) == arg)
		return "Write a constant or a bound parameter.";
	return "The price depends on it, and is known before anything is read. Read it by a statement of its own, and bind it as a parameter, or write it: in psql by \\gset.";
}

DpReason *
dp_pricing_read_number(Node *arg, const char *name, const DpStatement *statement, double *value)
{
	Const	   *constant = dp_expression_constant(arg, statement->params);
	int			location = exprLocation(arg);

	if (constant == NULL)
		return dp_tree_reason(location, constant_hint(statement, arg), "%s must be constant", name);
	if (constant->constisnull)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location, NULL,
								 "%s must not be null", name);
	if (constant->consttype != INTERVALOID)
		*value = dp_policy_domain_bound(constant->consttype, constant->constvalue);
	else
	{
		*value = microseconds_of(DatumGetIntervalP(constant->constvalue));
		if (isinf(*value))
			return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location,
									 "Write days, hours or seconds.",
									 "%s must not have months or years", name);
	}
	if (!isfinite(*value))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location, NULL,
								 "%s must be finite", name);
	return NULL;
}

DpReason *
dp_pricing_read_epsilon(Aggref *aggref, int position, const DpStatement *statement, double *epsilon)
{
	Node	   *arg;
	DpReason   *reason;

	*epsilon = statement->pricing.epsilon;
	if (list_length(aggref->args) <= position)
		return NULL;
	arg = (Node *) list_nth_node(TargetEntry, aggref->args, position)->expr;
	reason = dp_pricing_read_number(arg, "epsilon", statement, epsilon);
	if (reason)
		return reason;
	if (!(*epsilon >= DP_MIN_EPSILON && *epsilon <= DP_MAX_EPSILON))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(arg), NULL,
								 "epsilon must be between %.7g and %.7g", DP_MIN_EPSILON,
								 DP_MAX_EPSILON);
	return NULL;
}

/* ceil(x) as a sensitivity in grid units, at least 1. */
static uint64
grid_sensitivity(double value, int grid)
{
	double		units = ceil(ldexp(value, -grid));

	return units < 1.0 ? 1 : (uint64) units;
}

DpReason *
dp_pricing_calibrate(DpRelease *release, int j, const DpContribution *contribution, int parts,
					 uint64 sensitivity, int grid, int location)
{
	const char *problem = dp_accounting_calibrate(&release->noise[j], contribution->pricing->mechanism,
												  release->epsilon, release->delta,
												  contribution->max_groups, parts,
												  sensitivity, grid);

	if (problem)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, location, NULL, "%s", problem);
	release->nnoise = j + 1;
	return NULL;
}

DpReason *
dp_pricing_calibrate_count(DpRelease *release, int j, const DpContribution *contribution, int parts,
						   int bound, int location)
{
	int			grid = dp_accounting_grid(contribution->pricing->mechanism, release->epsilon, release->delta,
										  contribution->max_groups, parts, bound, true);

	return dp_pricing_calibrate(release, j, contribution, parts, grid_sensitivity(bound, grid), grid,
								location);
}
