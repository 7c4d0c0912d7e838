/*
 * adding.h
 *	  Adding up the rows of all units, and passing on the totals of all groups.
 */
#ifndef DP_UNITS_ADDING_H
#define DP_UNITS_ADDING_H

#include "postgres.h"

#include "units/merge.h"
#include "units/node.h"
#include "units/rows.h"
#include "units/share.h"
#include "units/source.h"

typedef struct DpAdding
{
	const DpUnitsPlan *plan;
	DpSource   *source;			/* unit unless rows are units, keys, values; NULL in a final node */
	DpUnitsSpec spec;
	DpMerge    *merge;			/* where groups go; set by the caller */
	MemoryContext context;		/* of what is collected */
	MemoryContext row_context;	/* reset after every batch */
	DpUnitsRows *rows;
	Datum	   *values;			/* scratch: a group's key */
	bool	   *isnull;
} DpAdding;

/*
 * Describe what is added up, all but the secret; for a final node, which has no
 * source, just the totals of a group.
 */
extern void dp_adding_describe(DpAdding *adding, const DpUnitsPlan *plan, DpSource *source);

/* Fresh secrets: nobody knows them, nothing keeps them. */
extern void dp_adding_draw_secret(DpUnitsSecret *secret);

/*
 * Add up all rows of the source; in a parallel plan, all rows of the units that this process
 * comes to.
 */
extern void dp_adding_run(DpAdding *adding, DpUnitsShared *shared);

#endif							/* DP_UNITS_ADDING_H */
