/* SPDX-License-Identifier: PostgreSQL */
/*
 * term.h
 *	  Terms: what an expression of released values is made of, as a value in the outer query.
 *
 * dp_interval of arithmetic has to know all releases that an answer depends on, wherever they come from:
 * other rows of a window, columns of subqueries, many rows added up.  So beside the arithmetic on values
 * the same is done on terms.  A term is a bytea: operands and operations in the order in which a machine
 * with a stack runs them.  It holds what was released, and public parameters of noise, nothing else.
 */
#ifndef DP_REWRITE_TERM_H
#define DP_REWRITE_TERM_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "rewrite/clamped_around.h"
#include "rewrite/interval_range.h"

typedef enum DpTermKind
{
	DP_TERM_CONSTANT,			/* DpTermConstant */
	DP_TERM_AROUND,				/* DpTermLeaf, DpAround: a count or sum */
	DP_TERM_CUT,				/* DpTermLeaf, DpTermCut: what a chosen clamp cuts of a count or
								 * sum */
	DP_TERM_ESTIMATE,			/* DpTermLeaf, DpEstimate, totals as a bytea: a mean or statistic */
	DP_TERM_UNKNOWN,			/* any number */
	DP_TERM_PLUS,				/* of two, */
	DP_TERM_MINUS,
	DP_TERM_TIMES,
	DP_TERM_OVER,
	DP_TERM_GREATEST,
	DP_TERM_LEAST,
	DP_TERM_NEGATION,			/* of one, */
	DP_TERM_ROOT,
	DP_TERM_SUM,				/* of as many as an int64 says */
	DP_TERM_TOTAL				/* DpTermTotal: the sum of many, which stand elsewhere */
} DpTermKind;

#define DP_TERM_KINDS (DP_TERM_TOTAL + 1)

/* Each part of a term begins with this; `size` is of what follows, a multiple of 8. */
typedef struct DpTermPart
{
	int32		kind;			/* DpTermKind */
	int32		size;
} DpTermPart;

/* Bounds of a number that is known, which doubles may not hold. */
typedef struct DpTermConstant
{
	double		low;
	double		high;
} DpTermConstant;

/* Where a released value is from, as a bytea constant in plans. */
typedef struct DpTermOrigin
{
	int32		vl_len_;		/* varlena header */
	int32		block;			/* number in the statement */
	int32		release;		/* of the block; noise of two is independent */
	int32		part;			/* which of the aggregates that the release answers */
	int32		told;			/* does row tell groups apart?  If not, nothing does */
	int32		padding;
} DpTermOrigin;

typedef struct DpTermLeaf
{
	DpTermOrigin origin;
	int64		row;			/* a hash of the group's keys */
	DpTermConstant value;
} DpTermLeaf;

/* Terms that are added up and held by their statement (term_total.h), which rows share. */
typedef struct DpTermTotal
{
	uint64		number;			/* of its terms */
	int64		count;			/* of the first terms, */
	int64		length;			/* and of their bytes */
} DpTermTotal;

/* How a clamp was chosen, and the released totals that tell what it cuts. */
typedef struct DpTermCut
{
	DpClampedAround around;
	DpLadderSeen seen;
} DpTermCut;

/*
 * Making terms.
 */

/* Begin one, and give it as a value; one that is too long is any number. */
extern void dp_rewrite_begin_term(StringInfo term);
extern bytea *dp_rewrite_finish_term(StringInfo term);

/* Append bytes, and zeroes up to a multiple of 8; the head of a part of so many bytes; a constant. */
extern void dp_rewrite_append_term(StringInfo term, const void *bytes, int size);
extern void dp_rewrite_append_kind(StringInfo term, DpTermKind kind, int size);
extern void dp_rewrite_append_constant(StringInfo term, double low, double high);

/* Longest term: one of more says nothing. */
#define DP_TERM_MOST_BYTES (64 * 1024 * 1024)

#endif							/* DP_REWRITE_TERM_H */
