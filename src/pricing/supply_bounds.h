/* SPDX-License-Identifier: PostgreSQL */
/*
 * supply_bounds.h
 *	  Bounds that an aggregate leaves out, from the domains of its columns.
 */
#ifndef DP_PRICING_SUPPLY_BOUNDS_H
#define DP_PRICING_SUPPLY_BOUNDS_H

#include "postgres.h"

#include "from/contribution.h"
#include "tree/statement.h"

/*
 * Write the bounds into the block's aggregates that have none, in place: from here on
 * they are as if the analyst had written them.  Returns NULL, or why there are none.
 */
extern DpReason *dp_pricing_supply_bounds(Query *block, const DpContribution *contribution,
										  const DpStatement *statement);

#endif							/* DP_PRICING_SUPPLY_BOUNDS_H */
