/* SPDX-License-Identifier: PostgreSQL */
/*
 * wanted.h
 *	  What a query wants of the node, as its paths are made from.
 */
#ifndef DP_UNITS_WANTED_H
#define DP_UNITS_WANTED_H

#include "postgres.h"

#include "units/node.h"
#include "units/star_path.h"

/* The plan that is wanted. */
typedef struct DpUnitsWanted
{
	PlannerInfo *root;
	RelOptInfo *output;
	double		groups;			/* estimate */
	List	   *keys;			/* expressions */
	List	   *aggregates;		/* Aggrefs, no two alike, */
	Bitmapset  *numbers;		/* and the numbers that the planner gave them */
	List	   *child;			/* expressions: unit unless rows are units, keys, values */
	List	   *operators;		/* sort operators of the keys */
	List	   *collations;
	DpUnitsPlan *plan;
	DpStarPath *star;			/* that the rows can be joined by, or NULL */
} DpUnitsWanted;

/* Set the aggregates; false if these are not over_units. */
extern bool dp_units_collect(DpUnitsWanted *wanted, Oid over_units);

/* Then set the rest, but for the star: what rows are needed, and the plan. */
extern void dp_units_describe(DpUnitsWanted *wanted, Oid over_units);

#endif							/* DP_UNITS_WANTED_H */
