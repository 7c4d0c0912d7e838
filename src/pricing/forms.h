/* SPDX-License-Identifier: PostgreSQL */
/*
 * forms.h
 *	  Blocks of which something else is released than a count per group.
 */
#ifndef DP_PRICING_FORMS_H
#define DP_PRICING_FORMS_H

#include "postgres.h"

#include "pricing/block_rewrite.h"

/* Is this the block of a call that asks for a form of its own? */
extern bool dp_pricing_is_formed(const DpBlockRewrite *rewrite);

/*
 * Calibrate the block as its call asks, in place of the counts it was written
 * with.  Returns NULL, or why it is not possible.
 */
extern DpReason *dp_pricing_set_form(DpBlockRewrite *rewrite);

/* Longest text of a call. */
#define DP_CALL_SIZE 512

/* The call a block was made of, and what is released of it in place of a count per group. */
typedef struct DpFormed
{
	int32		vl_len_;		/* varlena header */
	DpForm		form;
	int			size;			/* as in DpBlock */
	int64		level;
	double		bound;			/* of losses: the most that a row can lose */
	bool		default_epsilon;	/* the call names none; its aggregate's is a stand-in */
	char		label[DP_LABEL_SIZE];	/* for people */
	char		call[DP_CALL_SIZE]; /* the call, likewise */
} DpFormed;

/* Facts that an aggregate was told of its call, which no statement can say; or NULL. */
extern const DpFormed *dp_pricing_form_of(const Aggref *aggref);

/*
 * The epsilon of an aggregate that a call may have made, as dp_pricing_read_epsilon() reads it; that of the settings if
 * the call names none.
 */
extern DpReason *dp_pricing_read_call_epsilon(Aggref *aggref, int position, const DpStatement *statement, double *epsilon);

/* The call that a block was made of, or NULL. */
extern const char *dp_pricing_call_of(Query *block);

/* Have the release of the block that counts by this aggregate be of a form. */
extern void dp_pricing_ask_form(Aggref *aggref, const DpFormed *formed);

/*
 * Trees of counts whose leaves are the groups.
 */

#define DP_MAX_TREE_LEVELS 32

/* How many children a node of the tree over so many bins has, at most. */
extern int	dp_pricing_tree_branching(int bins);

/* Number of nodes of each level, the root's first; returns the number of levels. */
extern int	dp_pricing_tree_widths(int bins, int branching, int *width);

/* Calibrate the noise of the one release of a form, on a grid if it is of none by itself. */
extern DpReason *dp_pricing_calibrate_on(const DpBlockRewrite *rewrite, DpMechanism mechanism, int groups,
										 double sensitivity, int grid);

/*
 * Calibration of each form's release.
 */

/* How many candidates the width of a ranking is of: two if that is private. */
extern double dp_pricing_candidates(const DpBlock *block);

/* Does a mechanism draw candidates, rather than add noise? */
extern bool dp_pricing_is_drawn(DpMechanism mechanism);

/*
 * A ranking: by draws, whose scale grows with the number of ranks but not with the
 * number of candidates a unit counts in; or by noise on every count, which grows with
 * the latter.  If the mechanism is chosen, the budget's limits and the statement decide
 * which (accounting/ranking.h).  Where the candidates are private, either lets through only what the setting of
 * delta pays for.
 */
extern DpReason *dp_pricing_set_ranking(DpBlockRewrite *rewrite);

/* The first count to reach a level. */
extern DpReason *dp_pricing_set_first(DpBlockRewrite *rewrite);

/*
 * A tree.  Laplace noise costs most where on each level all that a unit moves is in one count.
 * Gaussian noise costs what the squares add up to.
 */
extern DpReason *dp_pricing_set_tree(DpBlockRewrite *rewrite);

/* One draw among counts, or losses. */
extern DpReason *dp_pricing_set_least(DpBlockRewrite *rewrite);

#endif							/* DP_PRICING_FORMS_H */
