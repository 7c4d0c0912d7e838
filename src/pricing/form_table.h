/* SPDX-License-Identifier: PostgreSQL */
/*
 * form_table.h
 *	  What a form of release differs in from the others: a table of constants and functions
 *	  for each.
 *
 * They stand in src/kinds/forms.c, above all rooms whose work they have a part in.  Those ask
 * dp_form(block); asking/ alone says which form a call has.
 */
#ifndef DP_PRICING_FORM_TABLE_H
#define DP_PRICING_FORM_TABLE_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "pricing/block_rewrite.h"
#include "pricing/release.h"
#include "tree/reason.h"

struct DpReleaseState;			/* draw/release_state.h */

typedef struct DpFormTable
{
	bool		of_groups;		/* each release of each group, as without a call */
	bool		is_tree;		/* counts whose sums are counts of it too */
	bool		priced_once;	/* the price of its first release is that of all */
	bool		ranks;			/* it names what is greatest or least: the mechanism may be chosen
								 * for it alone */
	bool		halves;			/* half of the sensitivity is that of what counts are compared
								 * with */

	/*
	 * Calibrate the block's releases as its call asks; or why that is not possible.  NULL: it has
	 * no call.
	 */
	DpReason   *(*calibrate) (DpBlockRewrite *rewrite);

	/* Release what the running exact plan returns; likewise. */
	void		(*release) (struct DpReleaseState *state, TupleTableSlot *result);

	/* What an answer is off by with a probability of 5 % at most; NULL: as noise is. */
	double		(*half_width) (const DpBlock *block, const DpRelease *release, double factor);

	int64		(*least_rows) (const DpBlock *block);	/* that it has for sure; NULL: none */
	double		(*rows) (const DpBlock *block); /* that are planned for, or 0 if it does not say;
												 * NULL: as there are groups */
} DpFormTable;

/* All of them, by DpForm. */
extern const DpFormTable dp_forms[];

static inline const DpFormTable *
dp_form(const DpBlock *block)
{
	return &dp_forms[block->form];
}

/* How many of the releases have a price: counts compared with a level have one. */
extern int	dp_pricing_block_priced(const DpBlock *block);

#endif							/* DP_PRICING_FORM_TABLE_H */
