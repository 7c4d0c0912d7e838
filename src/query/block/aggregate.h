/*
 * aggregate.h
 *	  From an aggregate as written to the integers it is computed and released
 *	  with.
 */
#ifndef DP_QUERY_BLOCK_AGGREGATE_H
#define DP_QUERY_BLOCK_AGGREGATE_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"

#include "aggregate/exact.h"
#include "aggregate/moments.h"
#include "query/block/block.h"
#include "query/from/contribution.h"
#include "query/nodes/reason.h"

/* One aggregate of a block. */
typedef struct DpMeasure
{
	Aggref	   *aggref;			/* as in the query, join aliases flattened */
	bool		distinct_units; /* dp_count(DISTINCT unit) */
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
	struct DpQuantile *quantile;	/* of a quantile, else NULL */
} DpMeasure;

/*
 * Validate the aggregate's arguments and calibrate its release with the
 * session's settings.  Returns NULL, or why it is not allowed.
 */
extern DpReason *dp_query_measure(Query *block, Aggref *aggref,
								  const DpContribution *contribution,
								  ParamListInfo params, DpMeasure *measure);

/* A constant, finite argument as a double; and epsilon, the setting if it is not there. */
extern DpReason *dp_query_read_number(Node *arg, const char *name, ParamListInfo params,
									  double *value);
extern DpReason *dp_query_read_epsilon(Aggref *aggref, int position, ParamListInfo params,
									   double *epsilon);

/* The release of a count of units, as used to threshold private groups. */
extern DpReason *dp_query_measure_units(const DpContribution *contribution, DpRelease *release);

/* An empty release under the session's mechanism. */
extern void dp_query_init_release(DpRelease *release, DpReleaseKind kind, double epsilon);

/* Calibrate noise term j of a release; `location` is where epsilon was asked. */
extern DpReason *dp_query_calibrate(DpRelease *release, int j, const DpContribution *contribution,
									int parts, uint64 sensitivity, int grid, int location);

/* moments.c: the same as dp_query_measure for the aggregates of moments. */
extern DpReason *dp_query_measure_moments(Query *block, const DpContribution *contribution,
										  ParamListInfo params, DpMeasure *measure);

/* moments.c: arguments of the exact aggregates of these moments: values and bounds. */
extern List *dp_query_moments_arguments(const DpMeasure *measure);

/* moments.c: are two aggregates made of the same release? */
extern bool dp_query_same_release(const Aggref *a, const Aggref *b);

#endif							/* DP_QUERY_BLOCK_AGGREGATE_H */
