/*
 * adding.h
 *	  Adding up the rows of all units, and passing on the totals of all groups.
 *
 * One process calls dp_adding_run.  Several take the same steps one by one, see
 * together.c.
 */
#ifndef DP_UNITS_ADDING_H
#define DP_UNITS_ADDING_H

#include "postgres.h"

#include "units/merge.h"
#include "units/node.h"
#include "units/rows.h"
#include "units/source.h"
#include "units/spill.h"

typedef struct DpAdding
{
	const DpUnitsPlan *plan;
	DpSource   *source;			/* unit unless rows are units, keys, values; NULL in a final node */
	DpUnitsSpec spec;
	int			acc_size;
	int			parts;			/* totals of a group */
	DpMerge    *merge;			/* where groups go; set by the caller */
	MemoryContext context;		/* of the table */
	MemoryContext row_context;	/* reset after every batch */
	DpUnits    *units;
	DpUnitsRows *rows;
} DpAdding;

/*
 * Describe what is added up, all but the secret; for a final node, which has no
 * source, just the totals of a group.
 */
extern void dp_adding_describe(DpAdding *adding, const DpUnitsPlan *plan, DpSource *source);

/* Fresh secrets: nobody knows them, nothing keeps them. */
extern void dp_adding_draw_secret(DpUnitsSecret *secret);

/* Add up all rows of the source. */
extern void dp_adding_run(DpAdding *adding);

/* Make the table, empty; give it back, and wipe the secret. */
extern void dp_adding_begin(DpAdding *adding);
extern void dp_adding_end(DpAdding *adding);

/*
 * Read all rows.  Units of which not all are in the table are in the spill, which
 * is returned, if need be made.
 */
extern DpSpill *dp_adding_read(DpAdding *adding, DpSpill *spill);

/* Put a file of one partition into the table, or else a deeper spill. */
extern void dp_adding_load(DpAdding *adding, DpSpill *spill, int partition, int level,
						   DpSpill **deeper);

/* All of some partition has been loaded: pass on its groups. */
extern void dp_adding_finish(DpAdding *adding, int level, DpSpill *deeper);

#endif							/* DP_UNITS_ADDING_H */
