/* SPDX-License-Identifier: PostgreSQL */
/*
 * source.h
 *	  The rows of the child plan, or of a star, read in batches of columns.
 *
 * A batch is a page's visible rows where a sequential scan of a table has nothing to compute:
 * they are asked of the table, not of the node; likewise of each table that the child reads
 * one after another, such as partitions and children, whose columns may lie elsewhere.
 * A batch of any other plan is some of the rows that it returns one by one.
 *
 * A tuple without NULL is not taken apart: its wanted columns are looked up in it, those
 * before the first of variable length at offsets known beforehand.
 */
#ifndef DP_UNITS_SOURCE_H
#define DP_UNITS_SOURCE_H

#include "postgres.h"

#include "access/htup_details.h"
#include "nodes/execnodes.h"

#include "base/compat_page_reader.h"

/* Rows of a batch: at most as many as a page holds. */
#define DP_SOURCE_ROWS MaxHeapTuplesPerPage

/* Bytes of values that a batch of rows may hold before it ends early. */
#define DP_SOURCE_HELD (1024 * 1024)

/* A column that is wanted, with what the rows of the batch have in it. */
typedef struct DpSourceColumn
{
	Form_pg_attribute type;
	Datum	   *value;			/* where it is not NULL; holds until the next batch is read */
	bool		has_null;		/* is one NULL?  Then */
	bool	   *isnull;			/* tells which. */
} DpSourceColumn;

/* A column on the way from the first of variable length to the last wanted. */
typedef struct DpSourceStep
{
	int16		length;			/* as in pg_attribute */
	uint8		padding;		/* at most so many bytes, one less than a power of two */
	const char **at;			/* where it is in each row of the batch; NULL if it is not wanted */
} DpSourceStep;

/* Where a wanted column is in tuples without NULL. */
typedef struct DpSourcePlace
{
	int			number;			/* in the rows, from 0 */
	const char **at;			/* so far behind these, of each row of the batch */
	uint32		offset;
} DpSourcePlace;

/* Where in rows the wanted columns are. */
typedef struct DpSourceLayout
{
	DpSourcePlace *place;		/* of each column, in the order wanted */
	int			width;			/* columns of the rows up to the last of them */
	int			steps;
	DpSourceStep *step;			/* the way to those that are not everywhere at one offset */
	uint32		first_offset;	/* behind which it begins */
} DpSourceLayout;

typedef struct DpSource
{
	PlanState  *child;
	struct DpStar *star;		/* whose rows these are instead (star.h), or NULL */
	int			ncolumns;
	DpSourceColumn *column;		/* in the order wanted */
	int			rows;			/* of the batch */
	const char **data;			/* of those that are looked up in tuples */
	MemoryContext held;			/* of values that the child may drop before the batch ends */
	DpSourceLayout own;			/* of the child's rows */
	DpSourceLayout part;		/* of those of the part that is read, where the child reads one
								 * table after another */
	MemoryContext part_context; /* of this layout */
	const DpSourceLayout *layout;	/* of the rows that are read now */
	List	   *columns;		/* numbers in the child's rows, from 0, of the wanted ones */
	DpPageReader page;			/* of the reader's scan, where nothing stands between */
	PlanState  *reader;			/* the node with this scan */
	PlanState  *asked;			/* the last part of the child that was asked for a scan */
	bool		done;			/* has the child no more rows? */
} DpSource;

/* A source of these columns, in the current memory context. */
extern DpSource *dp_units_source_start(PlanState *child, List *columns);

/* Give a source room for batches of so many columns, whose types the caller fills in. */
extern void dp_units_source_want(DpSource *source, int columns);

/* Read the next batch, of one row at least; false at the end. */
extern bool dp_units_source_read(DpSource *source);

static pg_attribute_always_inline bool
dp_units_source_is_null(const DpSourceColumn *column, int row)
{
	return unlikely(column->has_null) && column->isnull[row];
}

#endif							/* DP_UNITS_SOURCE_H */
