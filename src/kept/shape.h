/* SPDX-License-Identifier: PostgreSQL */
/*
 * shape.h
 *	  The shape of a kept answer that others may be added up from: its cells, and what was
 *	  released of them, as bytes that a dump and its restoring do not change.
 */
#ifndef DP_KEPT_SHAPE_H
#define DP_KEPT_SHAPE_H

#include "postgres.h"

#include "kept/cells.h"

/* A key: its values are those of cells as far as anybody asks for them. */
typedef struct DpShapeKey
{
	DpDigest	digest;
	bool		complete;
	int			count;			/* of its values */
	bytea	   *values;			/* packed, if they are not numbers of buckets */
	int		   *cell;			/* where tables list the keys: which of the values each cell has */
	DpBuckets	buckets;
	DpDigest	column;			/* whose values are in these */
} DpShapeKey;

/* Released columns of each cell. */
typedef struct DpShapeRelease
{
	DpDigest	addend;
	bool		count;			/* is it a bigint?  Else a DpTotals */
	DpRelease	release;		/* as far as its noise and scale go */
} DpShapeRelease;

typedef struct DpShape
{
	DpCellBounds bounds;
	int			domain;			/* number of cells */
	int			branching;		/* what was released is a tree of so many children a node, of
								 * which the cells are the leaves; 0: the cells themselves */
	bool		listed;			/* are the cells those that tables list, which the answer itself
								 * has?  Else one for each combination of values */
	bytea	   *contents;		/* what those tables held then (public_contents.h); else NULL */
	int			nkeys;			/* the last one's values vary fastest */
	DpShapeKey *key;
	int			nconditions;
	DpDigest   *condition;
	int			nreleases;		/* in the order in which they are packed */
	DpShapeRelease *release;
} DpShape;

/*
 * The shape of an answer to a block with these cells and columns, which is packed in an order; NULL if
 * nothing can be added up from it.
 */
extern bytea *dp_kept_pack_shape(const DpBlock *block, const DpBlockCells *cells, TupleDesc desc, const List *order);

/* Read that again; NULL if it is in a format that is not known. */
extern DpShape *dp_kept_unpack_shape(bytea *packed);

/* Read from such an answer the cells that tables list; false if they are not what an answer may have. */
extern bool dp_kept_read_listed_cells(DpShape *shape, bytea *released);

/* The values of a key of a type, each as a Const. */
extern List *dp_kept_shape_values(const DpShapeKey *key, Oid type);

/* Number of rows that were released. */
extern int	dp_kept_shape_rows(const DpShape *shape);

/* Columns that rows of such an answer can be read as, in their order: first so many of keys. */
extern int	dp_kept_shape_key_columns(const DpShape *shape);
extern TupleDesc dp_kept_shape_columns(const DpShape *shape);

#endif							/* DP_KEPT_SHAPE_H */
