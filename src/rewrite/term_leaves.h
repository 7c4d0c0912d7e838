/* SPDX-License-Identifier: PostgreSQL */
/*
 * term_leaves.h
 *	  Released values that occur in terms (term.h), each once.
 */
#ifndef DP_REWRITE_TERM_LEAVES_H
#define DP_REWRITE_TERM_LEAVES_H

#include "postgres.h"

#include "utils/hsearch.h"

#include "rewrite/term.h"

/* A released value that occurs. */
typedef struct DpLeaf
{
	DpTermLeaf	from;
	DpAround	around;
	const char *estimate;		/* DpEstimate and totals, or NULL */
	const DpTermCut *cut;		/* what a clamp cuts, or NULL */
	double		stddev;			/* of the noise of a count or sum; 0: not known yet */
	int			group;			/* number of its release in its group, */
	int			row;			/* of what it shares noise with, its row or all groups, or -1, */
	int			block;			/* and of its block, from 0 */
	bool		alone;			/* has it an interval of its own, */
	bool		seen;			/* which is counted, */
	DpTermConstant own;			/* and known? */
} DpLeaf;

/* Those of a term, or of all terms of an expression. */
typedef struct DpLeaves
{
	MemoryContext context;		/* of all that they hold */
	HTAB	   *numbers;		/* of leaves, groups and blocks, by what tells them apart */
	DpLeaf	   *leaf;
	int			count;
	int			room;
	int			groups;
	int			rows;
	int			blocks;
	int64		read;			/* leaves, so far, or since a term was begun to be read again; */
	int64		read_of_totals; /* those of totals that are read once, */
	bool		reads_total;	/* as they are now */
} DpLeaves;

/* No leaves, in the current memory. */
extern DpLeaves *dp_rewrite_make_leaves(void);

/* Read a leaf at these bytes; 22023 if there is none. */
extern DpLeaf dp_rewrite_read_leaf(DpTermKind kind, const char *bytes, int length);

/* The number of a leaf, of which a copy is entered if it is new. */
extern int	dp_rewrite_enter_leaf(DpLeaves *leaves, const DpLeaf *leaf);

#endif							/* DP_REWRITE_TERM_LEAVES_H */
