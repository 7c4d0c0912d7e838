/* SPDX-License-Identifier: PostgreSQL */
/*
 * block.h
 *	  What one block of a statement releases: the description that travels from
 *	  the rewriter through the plan to the release node, the charge, EXPLAIN
 *	  and dp_agg.price().
 *
 * A block is one SELECT over protected rows.  Its exact plan returns the group
 * keys (columns 0 .. nkeys - 1) followed by one column per release.
 */
#ifndef DP_PRICING_BLOCK_H
#define DP_PRICING_BLOCK_H

#include "postgres.h"

#include "pricing/release.h"

/* Flat, so that it can ride through plan copies as a bytea constant. */
struct DpBlock
{
	int32		vl_len_;		/* varlena header */
	char		dataset[NAMEDATALEN];
	int			nkeys;
	int			domain;			/* public key: 1 .. domain, all answered */
	bool		listed;			/* public keys that tables list, all answered */
	bool		by_parts;		/* is each partition added up by itself? */
	int			max_groups;		/* most groups a unit counts in; 0: there are none, or a row is a
								 * unit */
	Oid			table;			/* whose rows are counted, */
	bool		one_row;		/* is it one of a unit because nobody declared or set more? */
	bool		one_group;		/* and does a unit count in one group for that? */
	int			cut_at;			/* most rows of a unit that count, if a join may make more by what
								 * is declared; or 0 */
	double		sample_rate;	/* probability of a unit to be asked; 1: all are */
	int			selector;		/* release that thresholds groups, or -1 */
	bool		selector_shown; /* is it a result of the statement too? */
	bool		added_up;		/* does a level around aggregate its groups? */
	int64		threshold;		/* in units of the selector's totals (selector.h) */
	double		threshold_delta;	/* what thresholding costs */
	double		selector_delta; /* what its threshold is for, whether all units are asked or a
								 * sample */
	int			chooser;		/* release by which max_groups is chosen, or -1; then it is the
								 * most, as is the noise of all others */
	double		choice_share;	/* what that has of their epsilons as they were asked */
	DpForm		form;
	int			size;			/* ranking: of how many; tree: branching; least: candidates;
								 * passes; synthesis: rows, 0: as many as noise makes of those
								 * that are there */
	int64		level;			/* first: threshold of the counts */
	DpSyntheticColumns synthetic;	/* synthesis */
	DpPasses	passes;			/* passes */
	bool		noise_above;	/* does the outer query know its noise? */
	DpNoise		shared;			/* noise that counts and sums of a row, or of all groups, share
								 * (shared_noise.h); sigma 0: none */
	DpCurve		cost;			/* of all its releases */
	int			nreleases;
	DpRelease	release[FLEXIBLE_ARRAY_MEMBER];
};

#define DpBlockSize(n) (offsetof(DpBlock, release) + (n) * sizeof(DpRelease))

/* Is max_groups of a block chosen (chosen_groups.h)? */
static inline bool
dp_pricing_chooses_groups(const DpBlock *block)
{
	return block->chooser >= 0;
}

/*
 * What thresholding groups at this delta costs: of a sample, a unit makes no group exist unless it
 * is in it.  Rounded up.
 */
extern double dp_pricing_sampled_delta(const DpBlock *block, double delta);

/* Is the i-th release charged, or does another of its level pay for it? */
extern bool dp_pricing_is_charged(const DpBlock *block, int i);

/* How many noise terms of a release are charged. */
extern int	dp_pricing_charged_terms(const DpRelease *release);

/* cost += everything the block releases, over all its groups. */
extern void dp_pricing_block_cost(const DpBlock *block, DpCurve *cost);

#endif							/* DP_PRICING_BLOCK_H */
