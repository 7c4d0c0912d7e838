/* SPDX-License-Identifier: PostgreSQL */
/*
 * rollup.h
 *	  Which groups of a kept answer a block's answer is the sum of.
 */
#ifndef DP_KEPT_ROLLUP_H
#define DP_KEPT_ROLLUP_H

#include "postgres.h"

#include "kept/shape.h"

typedef struct DpRollup
{
	int			groups;			/* of the block that is asked */
	int			rows;			/* of the finer answer */
	int		   *group;			/* for each of these: one of the groups, from 0, or -1 */
	int			used;			/* number of rows that are in one */
	int			most;			/* in one group */
	int		   *from;			/* for each release that is asked, which of the finer answer's it
								 * is */
	double		ratio;			/* its noise in terms of what would be drawn, at most */
} DpRollup;

/*
 * Might a block be answered by adding up a finer answer, as far as can be said before its cells are read, if
 * tables list them?
 */
extern bool dp_kept_may_be_finer(const DpBlock *block, const DpBlockCells *asked, const DpShape *finer);

/*
 * How the block that is asked is answered by adding up a finer answer, whose noise is no more than
 * so many times what would be drawn; NULL if it is not, or if there is any doubt.  The
 * two have the same base.  If tables in it list the keys of the finer answer, they still hold what they held
 * then (public_contents.h); if tables list the block's, the cells have these.
 *
 * With noise left out the sum is what the block would be answered:
 *
 * 1. The rows are the same: each of the finer block's conditions is one of the block's.
 *    Each of those that are left is about one of its keys, and is computed for each
 *    value of that key, which has one canonical form (canonical_key.c).  Or it compares
 *    the value whose bucket is the key with a constant, so that it holds of all values
 *    of a bucket or of none.
 *	  Expressions are the same where both blocks limit values to the same length, or where
 *	  none depends on that but by way of a column of which shorter values are declared.
 * 2. Each row that the block counts in a group is in one of the groups that are added up for it.  Keys of
 *	  the block are keys of the finer one, with the same values, or buckets each of
 *	  which is made of the finer one's.  If the block lacks a key, each value of that
 *	  key has a group, or WHERE admits only values that have one.  Where tables list
 *	  keys, each row is joined with what lists its own, which are columns and too short
 *	  to be limited, or of fixed length: so each is in a group.  (Keys that a table
 *	  lists because a column's owner has declared that are that column's, and rows of
 *	  others have no group.)  And each group of the block has been answered, but for
 *	  conditions that leave out all of it.
 * 3. What a unit contributes is the same.  Where no two rows share a unit, that is one row.  Elsewhere no
 *	  group is the sum of several, in which a unit would be bounded by itself; and neither block
 *	  has more groups than a unit may have.
 * 4. Bounded sums, counts and rows of sets of rows that share none add up.
 * 5. A node of a tree of counts is the sum of the groups below it, where no two rows share a unit.
 */
extern DpRollup *dp_kept_plan_rollup(const DpBlock *block, const DpBlockCells *asked, const DpShape *finer,
									 double factor);

#endif							/* DP_KEPT_ROLLUP_H */
