/*
 * cover.h
 *	  Which values of a group count, where distinct values do: each unit covers at most
 *	  max_rows of its own, and a value counts once if any unit covers it.
 *
 * Plain C: no server header.  Pairs of a unit and a value are gone through in their order
 * (pairs.h), and a pair is taken if its unit has covered fewer than max_rows values and
 * nobody has covered this one: a maximal matching, the first in this order.  One unit more
 * or less adds at most max_rows to the values that are covered, or removes so many
 * (doc/accounting.md has the proof).
 *
 * Where what is known of units and values does not fit memory, the pairs left are written
 * down with it and gone through again: the result is the same.
 */
#ifndef DP_UNITS_COVER_H
#define DP_UNITS_COVER_H

#include "units/pairs.h"

/* What is done with a value that counts in a group. */
typedef void (*DpCoverVisit) (void *context, const DpUnitsMeasure *measure, const DpUnitId *group,
							  int64_t value);

/* Go through what was put, which is used up: each value that counts is passed on once. */
extern void dp_cover_values(DpPairs *pairs, DpCoverVisit visit, void *context);

/* Add a value that counts to its group's totals. */
static inline void
dp_cover_add(const DpUnitsMeasure *measure, int64_t value, __int128 *totals)
{
	totals += measure->part;
	switch (measure->kind)
	{
		case DP_UNITS_VALUES:
			totals[0]++;
			break;
		case DP_UNITS_VALUE_SUM:
			totals[0] += dp_acc_clamp(measure, value);
			break;
		case DP_UNITS_VALUE_MEAN:
			totals[0] += dp_acc_clamp(measure, value) - measure->lower;
			totals[1]++;
			break;
		default:
			break;
	}
}

#endif							/* DP_UNITS_COVER_H */
