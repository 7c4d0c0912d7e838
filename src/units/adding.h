/*
 * adding.h
 *	  Adding up the rows of all units, and passing on the totals of all groups.
 */
#ifndef DP_UNITS_ADDING_H
#define DP_UNITS_ADDING_H

#include "postgres.h"

#include "units/exchange.h"
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
	DpExchange *exchange;		/* with other processes, or NULL */
} DpAdding;

/*
 * Describe what is added up, all but the secret; for a final node, which has no
 * source, just the totals of a group.
 */
extern void dp_adding_describe(DpAdding *adding, const DpUnitsPlan *plan, DpSource *source);

/* Fresh secrets: nobody knows them, nothing keeps them. */
extern void dp_adding_draw_secret(DpUnitsSecret *secret);

/*
 * Add up all rows of the source; in a parallel plan, all rows of the units that the
 * exchange leaves to this process.
 */
extern void dp_adding_run(DpAdding *adding, DpExchangeShared *shared);

#endif							/* DP_UNITS_ADDING_H */
