/* SPDX-License-Identifier: PostgreSQL */
/*
 * admission.h
 *	  Which roles may have a statement planned that mentions protected tables.
 *
 * The role that pays needs a budget on the data set, its own or a pool's, unless the
 * role in effect has the right to read the tables.  That is asked before anything is
 * folded, rewritten, priced or read, and takes one walk over the statement.  It admits
 * nobody to an answer: the charge does.
 */
#ifndef DP_ASKING_ADMISSION_H
#define DP_ASKING_ADMISSION_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Look at a statement in which that was found (find_blocks.h).  Raises the refusal of a charge
 * without a budget if the statement may have a block.  False if it has none: then it is not for
 * us to work on, and PostgreSQL denies what it reads.
 */
extern bool dp_asking_admit(Query *query, int found);

/*
 * For a statement that has aggregates of ours and reads no protected table: if the role
 * has no budget on any data set, raise the error that would refuse it in the end.
 */
extern void dp_asking_admit_no_table(Query *query);

/* Raise that refusal for a table that is given to a call of ours, unless its rows may be read. */
extern void dp_asking_admit_call(Oid relid);

#endif							/* DP_ASKING_ADMISSION_H */
