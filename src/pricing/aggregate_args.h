/* SPDX-License-Identifier: PostgreSQL */
/*
 * aggregate_args.h
 *	  Constant arguments of aggregates, and the calibration of their releases.
 */
#ifndef DP_PRICING_AGGREGATE_ARGS_H
#define DP_PRICING_AGGREGATE_ARGS_H

#include "postgres.h"

#include "aggregate/cells.h"
#include "aggregate/exact.h"
#include "aggregate/released.h"
#include "from/contribution.h"
#include "pricing/release.h"
#include "tree/statement.h"

/* Arguments of a measure that is a quantile. */
typedef struct DpQuantile
{
	DpCellSpec	spec;
	double		lower;
	double		upper;
	Const	   *first;			/* bounds as asked */
	Const	   *last;
	double		step;			/* in effect: of numbers (upper - lower) / step is whole */
} DpQuantile;

/* One aggregate of a block. */
typedef struct DpMeasure
{
	Aggref	   *aggref;			/* as in the query, join aliases flattened */
	bool		distinct_units; /* dp_count(DISTINCT unit) */
	bool		distinct_values;	/* DISTINCT of anything else */
	int			most_rows;		/* of a count: most rows of a unit that count, or distinct values */
	Node	   *value;			/* validated argument, NULL for dp_count(*) */
	Oid			value_type;
	double		lower;			/* bounds as asked */
	double		upper;
	DpExactSpec spec;
	Node	   *value_y;		/* moments of a pair: the other argument */
	double		lower_y;		/* and its bounds */
	double		upper_y;
	DpMomentsSpec moments;
	DpRelease	release;		/* column not yet set */
	DpQuantile *quantile;		/* of a quantile, else NULL */
	DpModelSpec model;			/* of a model; */
	int			passes;			/* through its rows, 0 to DP_MOST_PASSES, */
	DpPassLoss	loss;			/* towards which loss; and */
	List	   *coordinates;	/* of Node: what it takes from a row, validated */
	struct DpMeasure *carrier;	/* whose totals answer it (joint.h), or NULL */
	int			answer;			/* as which of its answers */
	double		weight[DP_JOINT_TOTALS];	/* of each total in a count or sum, in the value's
											 * unit */
	Const	   *losses;			/* of models that are selected among: a DpLossSpec, else NULL */
	DpSyntheticColumns *synthetic;	/* of synthetic rows, else NULL */
} DpMeasure;

/*
 * A constant, finite argument as a double, dates as days, timestamps and intervals as
 * microseconds; and epsilon, the setting if it is not there. */
extern DpReason *dp_pricing_read_number(Node *arg, const char *name, const DpStatement *statement,
										double *value);
extern DpReason *dp_pricing_read_epsilon(Aggref *aggref, int position, const DpStatement *statement,
										 double *epsilon);

/* Calibrate noise term j of a release; `location` is where epsilon was asked. */
extern DpReason *dp_pricing_calibrate(DpRelease *release, int j, const DpContribution *contribution,
									  int parts, uint64 sensitivity, int grid, int location);

/* The same for a count that a unit moves by at most `bound` per group. */
extern DpReason *dp_pricing_calibrate_count(DpRelease *release, int j, const DpContribution *contribution,
											int parts, int bound, int location);

#endif							/* DP_PRICING_AGGREGATE_ARGS_H */
