/*
 * source.h
 *	  The rows of the child plan, read as cheaply as it allows: only the columns
 *	  that are wanted, without a copy where they lie in a table's page.
 */
#ifndef DP_UNITS_SOURCE_H
#define DP_UNITS_SOURCE_H

#include "postgres.h"

#include "access/relscan.h"
#include "nodes/execnodes.h"
#include "nodes/pg_list.h"

/* A column on the way to the last one wanted. */
typedef struct DpSourceStep
{
	int16		length;			/* as in pg_attribute */
	char		align;
	bool		by_value;
	int			offset;			/* in a row without NULL; -1: follows the one before */
	int			wanted;			/* its first number among those wanted, or -1 */
} DpSourceStep;

/* A column that is wanted again. */
typedef struct DpSourceCopy
{
	int			from;
	int			to;
} DpSourceCopy;

typedef struct DpSource
{
	PlanState  *child;
	Datum	   *value;			/* of the current row, columns in the order wanted */
	bool	   *isnull;
	bool		nulls;			/* any of isnull may be set */
	int			ncolumns;
	int		   *at;				/* where in the child's rows they are */
	int			width;			/* columns up to the last of them */
	DpSourceStep *step;
	int			nsteps;
	DpSourceCopy *copy;
	int			ncopies;
	TableScanDesc scan;			/* the child's, where nothing stands between; or NULL */
} DpSource;

/* A source of these columns, in the current memory context. */
extern DpSource *dp_source_start(PlanState *child, List *columns);

/*
 * Read the next row; false at the end.  Values by reference hold until the row
 * after it is read.
 */
extern bool dp_source_next(DpSource *source);

#endif							/* DP_UNITS_SOURCE_H */
