/*
 * rows.h
 *	  From rows (unit, keys, values) to what the table takes, and from group
 *	  keys as it keeps them back to values.
 *
 * A key, or a unit (word.h), is taken for its bytes: its type must have only one form
 * for equal values, as the rewriter sees to.
 */
#ifndef DP_UNITS_ROWS_H
#define DP_UNITS_ROWS_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

#include "aggregate/place.h"
#include "units/exchange.h"
#include "units/node.h"
#include "units/source.h"
#include "units/spill.h"
#include "units/word.h"

/* A value that has a place. */
typedef struct DpUnitsValue
{
	int			number;			/* in the source; -1: a constant, or none */
	DpValueType type;
	DpGrid		grid;
} DpUnitsValue;

/* What an aggregate takes from a row. */
typedef struct DpUnitsReader
{
	DpUnitsValue value;
	bool		has_place;		/* is it looked at, not only whether there is one? */
	DpUnitsValue y;				/* of a pair, value being x */
	const DpMomentsSpec *pair;	/* its bounds */
} DpUnitsReader;

typedef struct DpUnitsRows
{
	const DpUnitsPlan *plan;
	DpSource   *source;			/* unit unless rows are units, keys, values */
	DpUnitForm	unit_form;		/* unless rows are units */
	int16		unit_length;	/* of its type */
	int			first_key;		/* its number in the source */
	MemoryContext context;		/* of what a row allocates */
	const DpUnitsMeasure *measure;
	DpSipKey	secret;			/* of digests of units */
	DpExchange *exchange;		/* with other processes, or NULL; set by the caller */
	DpUnitsReader *reader;		/* per aggregate */
	int64	   *place;			/* scratch, likewise */
	StringInfoData key;			/* scratch */
	bool		word_key;		/* one key, passed by value */
	Datum		cached_key[DP_KEY_CACHE];	/* those that are words */
	uint32		cached_group[DP_KEY_CACHE]; /* DP_NO_GROUP: nothing cached */
	uint64		generation;		/* of the groups that are cached; 0: of none */
	DpSpill    *others;			/* rows of groups that are not in memory, or NULL */
	MemoryContext others_context;
	__int128   *single;			/* totals of one of them */
} DpUnitsRows;

/* The measures of a plan over these rows, or none, in the current context. */
extern DpUnitsMeasure *dp_units_measures(const DpUnitsPlan *plan, const DpSource *source);

/* A row's own allocations go to `context`, for the caller to reset. */
extern DpUnitsRows *dp_units_start_rows(const DpUnitsPlan *plan, DpSource *source,
										const DpUnitsSpec *spec, MemoryContext context);

/*
 * Read a batch of rows into the table, which must have been flushed, or where rows
 * are units add them to their groups' totals; false at the end.
 */
extern bool dp_units_read_rows(DpUnitsRows *rows, DpUnits *units);

/*
 * Where rows are units: from now on let no new group in, but write its rows to a
 * spill, made in this context, that has so many totals for accumulators.
 */
extern void dp_units_keep_out(DpUnitsRows *rows, const DpUnitsSpec *spec, int parts,
							  MemoryContext context);

/* The values of a group's key, those by reference in the current memory context. */
extern void dp_units_read_key(const DpUnitsRows *rows, const DpUnitsGroup *group,
							  Datum *values, bool *isnull);

#endif							/* DP_UNITS_ROWS_H */
