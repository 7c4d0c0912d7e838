/* SPDX-License-Identifier: PostgreSQL */
/*
 * release.h
 *	  One release of a block: its kind, noise and price, and what else tells it apart.
 *
 * A block (block.h) is a flat struct of these, which travels through plans as it is.
 */
#ifndef DP_PRICING_RELEASE_H
#define DP_PRICING_RELEASE_H

#include "postgres.h"

#include "accounting/calibrate.h"
#include "aggregate/ladder.h"
#include "models/pass.h"
#include "models/synthesis.h"

/* A block, for those who only pass it on: see block.h. */
typedef struct DpBlock DpBlock;

#define DP_LABEL_SIZE 192

/* Most releases of all blocks of a statement together. */
#define DP_MOST_RELEASES 1000

/* Kinds of release (kind_list.h), and how many there are. */
typedef enum DpReleaseKind
{
#define DP_KIND(number, table) DP_RELEASE_##number,
#include "pricing/kind_list.h"
#undef DP_KIND
	DP_KINDS
} DpReleaseKind;

/* The rank a quantile aims at, and the points it chooses from; see quantile.h. */
typedef struct DpQuantileRank
{
	int32		cells;			/* number of points */
	uint32		fraction;		/* times 2^fraction_bits */
	int			fraction_bits;
	int64		offset;			/* in the noise's grid units */
	int64		none;			/* likewise, times 2^none_bits: how much better than any point
								 * "none" is without rows */
	int			none_bits;
} DpQuantileRank;

/* Fractions asked for are counted in 2^-30. */
#define DP_ASKED_BITS 30

/* Fractions between two others are multiples of 2^-20, or coarser by the bits that places lack. */
#define DP_SPLIT_FRACTION_BITS(bits) ((bits) + 7)

/* How a quantile shares its price with others; see quantile_levels.h. */
typedef struct DpSplit
{
	int			sharers;		/* how many of its level, itself among them; 0: it shares nothing */
	int			payer;			/* that one of them that is charged: number of a release */
	int			level;			/* from 0 */
	int			bits;			/* a point is 2^bits places */
	uint32		asked;			/* fraction of all rows, times 2^DP_ASKED_BITS */
	int			lower;			/* releases between whose answers it is drawn, or -1 */
	int			upper;
} DpSplit;

/* What a block releases of its counts. */
typedef enum DpForm
{
	DP_FORM_GROUPS,				/* each release of each group */
	DP_FORM_RANKING,			/* the keys of the `size` greatest, with their ranks */
	DP_FORM_FIRST,				/* the number of the first count to reach `level` */
	DP_FORM_TREE,				/* counts of a tree whose leaves are the groups */
	DP_FORM_PASSES,				/* totals of a model and of `size` passes: see models/pass.h */
	DP_FORM_LEAST,				/* the number of one of `size` counts or losses that is small */
	DP_FORM_SYNTHESIS			/* rows made of two-way tables: see models/synthesis.h */
} DpForm;

/* Most aggregates that a release answers beside its own. */
#define DP_MOST_ANSWERS 3

/* An aggregate that is answered from the totals of another's release: see joint.h. */
typedef struct DpAnswer
{
	char		label[DP_LABEL_SIZE];	/* the aggregate as written */
	bool		mean;			/* is its noise that of a mean times the number of rows? */
	bool		rounded;		/* to a whole number? */
	bool		single;			/* is it a multiple of one total? */
	double		factor[2];		/* its noise has the variance of both noise terms, times these */
	double		slack;			/* what discrete noise may add to how far off it is */
	double		sensitivity;	/* of the total it stands for */
} DpAnswer;

/* One noisy result per group. */
typedef struct DpRelease
{
	DpReleaseKind kind;
	int			column;			/* of the exact plan, from 0 */
	double		epsilon;		/* as asked: the loss of this release */
	double		delta;			/* of the Gaussian calibration, else 0 */
	int64		width;			/* what a row adds to all totals together: of an average upper -
								 * lower, of moments rounded, in the units of the totals; else 0 */
	int			features;		/* moments, models: totals, each with noise[0] */
	int			shift;			/* likewise: totals are released in units of 2^shift; of losses,
								 * what a row adds at most is 2^shift */
	double		unit;			/* and losses: what price lines multiply sensitivity by, */
	double		factor;			/* and what noise */
	int			nnoise;			/* noise terms in use: 1, average 2 */
	DpNoise		noise[2];
	DpQuantileRank rank;		/* of a quantile; */
	DpSplit		split;			/* whose fraction may be of the rows between two others */
	DpLadder	ladder;			/* of clamps of which one is chosen; no steps: there is none */
	int			ladder_grid;	/* of its totals; and noise[0] is that at its last step */
	double		choice_epsilon; /* of epsilon, what the choice or passes cost; of tables, its own */
	DpNoise		choice;			/* of a clamp; of tables, of the pairs of a tree; of passes, noise */
	int			chosen;			/* the step, in a copy of what was answered; -1: not known */
	bool		rounded;		/* is the answer rounded to a whole number? */
	bool		derived;		/* moments: is the answer none of them, so that how far it is off
								 * depends on what it is? */
	int			max_rows;		/* of a unit, or distinct values, that count in a group; 0: no
								 * matter */
	int			summed;			/* its noise is the sum of as many; 0: it is one */
	char		label[DP_LABEL_SIZE];	/* the aggregate as written */
	int			answers;		/* how many others are answered from its totals: epsilon is what
								 * all of them need then */
	DpAnswer	answer[DP_MOST_ANSWERS];
} DpRelease;

/* Where the tables start in the exact column of a block of synthetic rows. */
#define DP_TABLES_OFFSET 8

/* The columns of synthetic rows. */
typedef struct DpSyntheticColumns
{
	DpSynthesisShape shape;
	uint32		numbers;		/* bit i: column i has bins, and a value is drawn in its cell */
	uint32		nullable;		/* bit i: the last cell of column i is that for none */
} DpSyntheticColumns;

/* Noise of what comes before passes, and of all of them, is that of one of two parts each. */
#define DP_PASS_PARTS 2

/* The model that passes go through rows for. */
typedef struct DpPasses
{
	DpModelSpec model;
	int32		loss;			/* DpPassLoss */
	int32		passes;
} DpPasses;

#endif							/* DP_PRICING_RELEASE_H */
