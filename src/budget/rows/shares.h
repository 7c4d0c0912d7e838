/*
 * shares.h
 *	  Which parts of a budget's delta are whose, as arguments of SQL functions.
 */
#ifndef DP_BUDGET_ROWS_SHARES_H
#define DP_BUDGET_ROWS_SHARES_H

#include "postgres.h"

#include "fmgr.h"

#include "accounting/filter.h"

/* Which shares of delta were asked for. */
typedef struct DpGivenShares
{
	bool		partition;
	bool		variance;
	bool		rdp;
} DpGivenShares;

/*
 * Shares of delta from three arguments, of which those that are null have the rest: a tenth for
 * private groups, and the rules as much each.  Raises 22023 if they are no shares of one delta.
 */
extern DpShares dp_budget_shares_read(FunctionCallInfo fcinfo, int first, DpGivenShares *given);

#endif							/* DP_BUDGET_ROWS_SHARES_H */
