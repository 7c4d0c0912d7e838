/* SPDX-License-Identifier: PostgreSQL */
/*
 * kind.h
 *	  What a kind of release differs in from the others: a table of constants and
 *	  functions for each.
 *
 * The tables stand in src/kinds, a file each, above all rooms whose work they have a part
 * in.  Those rooms know this header alone, and ask dp_kind(release).
 */
#ifndef DP_PRICING_KIND_H
#define DP_PRICING_KIND_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "aggregate/estimate.h"
#include "aggregate/ladder_cut.h"
#include "base/settings.h"
#include "noise/sampler.h"
#include "pricing/aggregate_args.h"
#include "pricing/block_rewrite.h"
#include "pricing/release.h"
#include "tree/own_functions.h"
#include "tree/reason.h"
#include "units/ask.h"

struct DpReleaseState;			/* draw/release_state.h */
struct DpAskedInterval;			/* rewrite/interval.h */

/* Noise that totals of a row share, or of all groups, as it was drawn for them. */
typedef struct DpSharedDraw
{
	const DpNoise *noise;
	DpInt128	drawn;
} DpSharedDraw;

/* Which of a release's totals tell together how many rows it is of. */
typedef struct DpToldRows
{
	int			first;			/* this one, */
	int			count;			/* and as many with it in all */
	const DpNoise *noise;		/* of each */
	double		row;			/* what a row adds to them together */
} DpToldRows;

/* How many kinds have totals of which others can be made. */
#define DP_CARRYING_KINDS 2

typedef struct DpKind
{
	DpReleaseKind number;

	/* Its answers. */
	int			totals;			/* that it is released as; 0: as many as it has features */
	bool		counts;			/* a number: of a value it matters alone whether it is NULL */
	bool		bounds_totals;	/* a unit's total in a group is bounded, whatever its rows */
	bool		whole;			/* whole numbers: noise is rounded as it is added */
	bool		over_rows;		/* what they err by is divided by the number of rows */
	bool		in_unit;		/* price lines show sensitivity in the release's unit */
	bool		one_way;		/* exponential: scores that a unit moves one way alone */
	bool		is_rank;		/* a place in an order, drawn by its rank */
	bool		selects;		/* private groups may be thresholded by the rows it tells */
	bool		goes_with_groups;	/* noise is for max_groups, and can be for fewer */
	bool		has_classes;	/* its ladder is not one of clamps but of max_groups */
	bool		choice_is_part; /* what `choice` costs is a part of epsilon */
	const char *choice;			/* what `choice` draws if it is not a clamp; NULL: nothing */
	bool		knows_rows;		/* its exact total counts them, where no distinct values are told
								 * apart */
	bool		suits_aggregates;	/* ordinary ones are as fast as the node where rows are units */
	bool		takes_null;		/* rows weigh something whatever is NULL */
	bool		reads_rows;		/* rows are read one by one, and nothing is added up */
	bool		of_call;		/* a call in FROM makes it, and has its label */
	const DpFunction *functions;	/* the aggregates that ask for it, and 0; NULL: none */

	/*
	 * From an aggregate to what it releases: arguments, sensitivity and noise; or why it is not
	 * allowed.
	 */
	DpReason   *(*measure) (Query *block, const DpContribution *contribution, const DpStatement *statement, DpMeasure *measure);
	Node	   *(*made_of) (Aggref *aggref);	/* equal() for those that one release answers;
												 * NULL: itself */

	/* As one of whose totals others can be made (joint.h). */
	int			carries;		/* its place among those, from 1 to DP_CARRYING_KINDS; 0: none can */
	bool		(*can_carry) (const DpMeasure *measure);	/* NULL: always */
	DpReason   *(*recalibrate) (DpMeasure *measure, const DpContribution *contribution);	/* with the epsilon that
																							 * its release has */
	void		(*weigh) (const DpMeasure *carrier, bool count, double *weight);	/* its totals in a
																					 * count, or sum */

	/* And as one that is. */
	bool		(*can_be_part) (const DpMeasure *measure, const DpMeasure *carrier);	/* of the same values
																						 * within the same
																						 * bounds; NULL: it
																						 * cannot */

	/* Its exact total. */
	Node	   *(*exact) (DpBlockRewrite *rewrite, const DpMeasure *measure);	/* over rows that are
																				 * units */
	void		(*ask) (const DpMeasure *measure, DpUnitsAsk *ask, Node **value);	/* of the node that adds
																					 * up units; NULL: it
																					 * cannot */
	Node	   *(*part) (const DpMeasure *measure); /* over a partition on another server; NULL:
													 * none */
	List	   *(*weighed_values) (const DpMeasure *measure);	/* what rows take to their totals, */
	Node	   *(*weighed_total) (const DpMeasure *measure, Node *rows, List *values);	/* and that, of rows
																						 * whose units have so
																						 * many; NULL: rows are
																						 * not weighed */

	/*
	 * Values that leave the node for a column of its exact row; *units are the noisy rows as a
	 * threshold is compared with them, or *none is set where it is of no rows.  NULL: of its form
	 * alone.
	 */
	Datum		(*draw) (const DpRelease *release, Oid type, Datum value, bool isnull, const DpSharedDraw *shared,
						 DpInt128 *units, bool *none);
	Datum		(*draw_clamped) (const DpRelease *release, const DpInt128 *parts, const DpLadderSeen *seen);
	/* of a ladder's totals, clamped there */
	double		noise_weight;	/* how much noise weighs against what a clamp cuts */
	int64		(*draw_least) (struct DpReleaseState *state);	/* the number of a small one, from
																 * 0; NULL: of counts */
	Datum		(*added_up) (const DpRelease *asked, const DpRelease *finer, Oid type, DpInt128 *parts);	/* of finer ones' totals */

	/*
	 * Expression in the outer query for the release of this number in the block; the second is
	 * for what another release carries.
	 */
	Node	   *(*value) (const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number);
	Node	   *(*part_value) (const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number);
	Node	   *(*interval) (DpBlockRewrite *rewrite, const struct DpAskedInterval *asked, DpReason **untold);	/* NULL: around a total */
	void		(*estimate) (const DpMeasure *measure, const Aggref *aggref, DpEstimate *estimate); /* what its statistic is
																									 * of */

	/* Its price. */
	double		(*factor) (const DpRelease *release);	/* on noise in price lines; NULL: 1 */
	double		(*half_width) (const DpBlock *block, const DpRelease *release); /* NULL: as of its form */
	DpReason   *(*calibrate_least) (DpBlockRewrite *rewrite);	/* for draw_least; NULL: as of
																 * counts */
	bool		(*scale) (DpRelease *release, double factor);	/* calibrate for so many times its
																 * epsilon; false: that fails */
	DpToldRows	(*told_rows) (const DpRelease *release);	/* NULL: it tells none */

	/* Its kept answers. */
	void		(*spell) (StringInfo text, const DpRelease *release);	/* what else tells it from
																		 * others; NULL: nothing */
	bool		(*can_convert) (const DpRelease *asked, const DpRelease *finer);	/* from sums of finer
																					 * ones; NULL: they do
																					 * not add up */
} DpKind;

/* All of them, by number. */
extern const DpKind *const dp_kinds[DP_KINDS];

/* The kinds of what blocks release unasked: the units of groups, and the choice of max_groups. */
extern const DpKind dp_kinds_count;
extern const DpKind dp_kinds_classes;

static inline const DpKind *
dp_kind(const DpRelease *release)
{
	return dp_kinds[release->kind];
}

/* The kind of release that this function asks for, or NULL. */
extern const DpKind *dp_pricing_kind_of_function(DpFunction function);

/* An empty release under the mechanism of these settings. */
extern void dp_pricing_init_release(const DpPricing *pricing, DpRelease *release, const DpKind *kind, double epsilon);

/* Is it added up over rows that are weighed by how many their units have? */
static inline bool
dp_pricing_weighs_rows(const DpMeasure *measure)
{
	return dp_kind(&measure->release)->weighed_total != NULL;
}

/* Is the clamp of a unit's total chosen? */
static inline bool
dp_pricing_is_clipped(const DpRelease *release)
{
	return release->ladder.steps > 0 && !dp_kind(release)->has_classes;
}

/* Is anything drawn by `choice`? */
static inline bool
dp_pricing_has_choice(const DpRelease *release)
{
	return dp_pricing_is_clipped(release) || dp_kind(release)->choice != NULL;
}

/* The epsilon that noise is drawn with: all, or what the choice of a clamp or passes leave. */
static inline double
dp_pricing_noise_epsilon(const DpRelease *release)
{
	return dp_pricing_is_clipped(release) || dp_kind(release)->choice_is_part ?
		release->epsilon - release->choice_epsilon : release->epsilon;
}

#endif							/* DP_PRICING_KIND_H */
