/*
 * theorems.h
 *	  What the tests of the analysts' functions share.
 */
#ifndef DP_TEST_THEOREMS_H
#define DP_TEST_THEOREMS_H

#include <float.h>

#include "accounting.h"

/*
 * Is a bound not below truth, and within 1e-10 relative of it as far as doubles
 * are that fine?
 */
static inline bool
bounds(long double value, long double truth)
{
	return value >= truth && value <= truth * (1 + 1e-10L) + (truth > 0 ? DBL_TRUE_MIN : 0);
}

/* Is a bound from below not above truth, and within 1e-10 relative of it? */
static inline bool
bounds_below(long double value, long double truth)
{
	return value <= truth && value >= truth * (1 - 1e-10L);
}

/* Say which row of a table failed. */
static inline bool
complain(const char *what, int i, long double value, long double truth)
{
	printf("# %s, row %d: %.20Lg, not %.20Lg\n", what, i, value, truth);
	return true;
}

/* One check that for every row of a table `holds(result, row->value)`. */
#define EVERY(table, holds, result) \
	do { \
		int			bad = 0; \
		\
		for (int i = 0; i < LENGTH(table); i++) \
		{ \
			const __typeof__((table)[0]) *row = &(table)[i]; \
			long double value = (result); \
			\
			bad += !holds(value, row->value) && complain(#table, i, value, row->value); \
		} \
		ok(bad == 0, "%s: %d rows", #table, LENGTH(table)); \
	} while (0)

/* A result to the nearest double, or nearly so. */
#define nearly(value, truth) near(value, truth, 1e-14L)

#endif							/* DP_TEST_THEOREMS_H */
