/*
 * pld_list.h
 *	  A list of releases, sorted into what is composed in different ways; for
 *	  this room only.
 *
 * Plain C: no server header.
 */
#ifndef DP_ACCOUNTING_PLD_LIST_H
#define DP_ACCOUNTING_PLD_LIST_H

#include "accounting/pld.h"

typedef struct DpPldList
{
	DpPldRelease *part;			/* all but Gaussian and large discrete Gaussian */
	int			parts;			/* no two of them alike */
	long double mu_square;		/* Gaussian: sum of squares of sensitivity / sigma */
	long double excess;			/* log factor by which their probabilities may be exceeded */
	long double raise;			/* and by how much their losses */
	long double log_delta_kept; /* log of the probability that nothing tells all */
	long double delta;			/* what is left of delta; none if not positive */
} DpPldList;

/* What is wrong with a release, or NULL. */
extern const char *dp_accounting_pld_check(const DpPldRelease *release);

/*
 * Fill in a list whose `part` has room for n releases and whose other fields are
 * zero.
 */
extern void dp_accounting_pld_sort(DpPldList *list, const DpPldRelease *releases, int n,
								   double delta);

/* A bound on every privacy loss of the whole list; infinite if there is none. */
extern long double dp_accounting_pld_greatest_loss(const DpPldList *list);

/*
 * theta times the Renyi divergence of order theta + 1 >= 1.01 of the whole list,
 * where theta + 1 is a double; within 2^-50 relative, or above.
 */
extern long double dp_accounting_pld_log_moment(const DpPldList *list, double theta);

#endif							/* DP_ACCOUNTING_PLD_LIST_H */
