/*
 * star.h
 *	  Joining rows without a join of PostgreSQL's, in the executor.
 *
 * A star is a base and its sides: each row of the base is joined with the one row
 * of each side whose key equals a column of the base's row; if there is none the row
 * is dropped, or where the side is optional, filled up with NULL.  The
 * sides are read first, to their ends, into hash tables; then rows of the base look up
 * theirs, held back by some so that what they look up arrives meanwhile.
 *
 * A keyed hash finds the rows, so that nobody can fill a side with keys of one hash.
 */
#ifndef DP_UNITS_STAR_H
#define DP_UNITS_STAR_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "units/source.h"

/* Bytes that a side's row takes, beside its values. */
#define DP_STAR_ROW_SIZE 64

/*
 * What the plan says of a star, in its custom_private: for each child, the base
 * first, where in its rows its columns are: the keys the sides are joined by and then
 * what is wanted of it, or of a side its key and then what is wanted.  For each
 * column wanted, child and number among those.  And for each side whether it is optional.
 */
#define DP_STAR_CHILDREN(star) ((List *) linitial(star))
#define DP_STAR_PLACES(star) ((List *) lsecond(star))
#define DP_STAR_OPTIONAL(star) ((List *) lthird(star))

/*
 * A source of the rows of a star, whose sides are read now; NULL if they do not fit
 * so many bytes.  In the current memory context.
 */
extern DpSource *dp_star_start(List *children, List *description, Size limit);

/* Read the next row; false at the end.  See dp_source_next. */
extern bool dp_star_next(DpSource *source);

/* Bytes that the sides take. */
extern Size dp_star_used(const DpSource *source);

#endif							/* DP_UNITS_STAR_H */
