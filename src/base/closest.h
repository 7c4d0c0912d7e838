/* SPDX-License-Identifier: PostgreSQL */
/*
 * closest.h
 *	  The name that may have been meant by one that is not there.
 */
#ifndef DP_BASE_CLOSEST_H
#define DP_BASE_CLOSEST_H

#include "postgres.h"

/* A name that was looked for, and the closest of those that were tried. */
typedef struct DpClosest
{
	const char *name;
	const char *match;			/* or NULL: none is close */
	int			distance;		/* of the match */
} DpClosest;

/*
 * Try a name.  It is close if it differs in upper and lower case alone, or by three letters
 * at most and no more than half of those that were looked for, as where PostgreSQL says "Perhaps you meant".  The
 * match is the text itself, not a copy.
 */
extern void dp_closest_try(DpClosest *closest, const char *candidate);

#endif							/* DP_BASE_CLOSEST_H */
