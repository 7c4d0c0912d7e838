/* SPDX-License-Identifier: PostgreSQL */
/*
 * work_limit.h
 *	  How much work a row may make.
 *
 * What a row costs tells who reads the clock about that row, and cannot be
 * interrupted while a function works on it.  So all expressions of a block
 * together may cost a row about a millisecond at most, whatever it holds.
 */
#ifndef DP_EXACT_WORK_LIMIT_H
#define DP_EXACT_WORK_LIMIT_H

#include "postgres.h"

#include "from/contribution.h"
#include "tree/reason.h"

/* Shortest limit that leaves a statement worth answering, in bytes with header. */
#define DP_MIN_VALUE_SIZE 256

/*
 * Limit the work that a row makes in a block's exact query, of validated expressions, which reads these
 * tables, where a join makes so many rows of it.  Values longer than a
 * limit, the largest of DP_MAX_VALUE_SIZE and its half, quarter and so on that keeps the
 * work within bounds, become NULL where an expression works on them.  Where none does, the join has to make
 * fewer rows: *rows becomes as many as it may, if that is no less than `least`.  All of it depends
 * on the statement and its tables' declarations alone.
 *
 * Replaces *exact and sets the limit; returns NULL, or the reason why none is low enough.
 */
extern DpReason *dp_exact_limit_work(Query **exact, const DpContribution *contribution, int *rows, int least, int location,
									 Size *longest);

/* How many rows may a join make of one, at the lowest limit? */
extern int	dp_exact_most_rows(Query *exact, const DpContribution *contribution);

#endif							/* DP_EXACT_WORK_LIMIT_H */
