/* SPDX-License-Identifier: PostgreSQL */
/*
 * finish.h
 *	  Adding up what units contributed, group by group.
 *
 * Plain C: no server header.
 */
#ifndef DP_UNITS_FINISH_H
#define DP_UNITS_FINISH_H

#include "units/contributions.h"

/* Called with a group. */
typedef void (*DpGroupVisit) (void *context, const DpUnitId *id, DpKeyPlace key,
							  const DpGroupTotals *totals);

/*
 * Go through all groups that some unit counts in, with the totals and weights put here; the
 * places of keys may be in logs of other processes, which come behind the one of this.
 */
extern void dp_units_contributions_finish(DpContributions *contributions, DpLog *const *log, int count,
										  DpGroupVisit visit, void *context);

#endif							/* DP_UNITS_FINISH_H */
