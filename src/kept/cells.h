/* SPDX-License-Identifier: PostgreSQL */
/*
 * cells.h
 *	  What the groups of a block are made of, in digests that are equal for blocks whose groups may
 *	  be added up to each other's.
 *
 * Two blocks have the same base if they read the same rows, but for conditions, of the same units
 * under the same policy and bounds.  Keys, conditions and addends are the same if their digests are,
 * in blocks of the same base.
 */
#ifndef DP_KEPT_CELLS_H
#define DP_KEPT_CELLS_H

#include "postgres.h"

#include "asking/buckets.h"
#include "budget/kept/kept_table.h"
#include "kept/spelling.h"
#include "pricing/group_cells.h"
#include "pricing/release.h"

typedef struct DpDigest
{
	uint8		bytes[DP_QUESTION_BYTES];
} DpDigest;

/* A key. */
typedef struct DpCellKey
{
	DpDigest	digest;
	Oid			type;
	bool		complete;		/* can there be no other values? */
	bool		by_size;		/* does it depend on how long values may be? */
	int			count;			/* of its values */
	List	   *values;			/* of Const, in their order; NIL if it is the number of a bucket */
	bool		computed;		/* of what may be limited (work_limit.h)? */
	DpBuckets	buckets;		/* which that is, */
	DpDigest	column;			/* of these values */
} DpCellKey;

/* A member of WHERE's AND. */
typedef struct DpCellCondition
{
	DpDigest	digest;
	bool		by_size;
	Node	   *expr;
} DpCellCondition;

typedef struct DpBlockCells
{
	DpDigest	base;
	DpCellBounds bounds;
	int			nkeys;
	DpCellKey  *key;
	const struct DpListedCells *listed; /* groups, if tables list their keys and these were read
										 * (listed_cells.h) */
	bytea	   *contents;		/* and what those tables hold, if that was read
								 * (public_contents.h) */
	int			nconditions;
	DpCellCondition *condition;
	DpDigest   *addend;			/* of each of the block's releases */
	bool		by_size;		/* does any of these, or the unit, depend on that? */
	DpLevel		level;			/* by which expressions of it are spelled */
} DpBlockCells;

/* The cells that a node carries for a block; NULL if they cannot be said. */
extern DpBlockCells *dp_kept_cells(const DpBlock *block, List *carried);

/*
 * The digest by which an expression of these cells' rows would be a key, or the values of which
 * buckets are; false if it has none.
 */
extern bool dp_kept_key_digest(const DpBlockCells *cells, Node *expr, DpDigest *digest);

/* Can the value of an expression depend on how long those may be that it works on? */
extern bool dp_kept_depends_on_size(Node *expr);

extern bool dp_kept_same_digest(const DpDigest *one, const DpDigest *other);

#endif							/* DP_KEPT_CELLS_H */
