/* SPDX-License-Identifier: PostgreSQL */
/*
 * star.h
 *	  Joining rows without a join of PostgreSQL's, in the executor.
 *
 * A star is a base and its sides.  Each row of the base is joined with the one row of
 * each side whose key equals a column of the base's row.  If there is none the row is
 * dropped, or where the side is optional, filled up with NULL.  The sides are read
 * first, to their ends, into hash tables; then rows of the base look up theirs, a batch
 * at once, so that what they look up arrives meanwhile (lookup.h).
 */
#ifndef DP_UNITS_STAR_H
#define DP_UNITS_STAR_H

#include "postgres.h"

#include "units/source.h"

/* Bytes that a side's row takes, beside its values: most of them in the index, and what rounds it up. */
#define DP_STAR_ROW_SIZE 24

/*
 * A source of the rows of a star, whose sides are read now; NULL if they do not fit
 * so many bytes.  In the current memory context.
 */
extern DpSource *dp_units_star_start(List *children, List *description, Size limit);

/* Read the next batch; false at the end.  See dp_units_source_read. */
extern bool dp_units_star_read(DpSource *source);

/* Bytes that the sides take. */
extern Size dp_units_star_used(const DpSource *source);

#endif							/* DP_UNITS_STAR_H */
