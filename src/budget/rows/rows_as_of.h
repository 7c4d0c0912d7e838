/* SPDX-License-Identifier: PostgreSQL */
/*
 * rows_as_of.h
 *	  When the rows that a standby reads were current.
 *
 * That is the time of the last transaction that it has replayed.  It stands beside the releases in the
 * ledger of the primary, in the first block.  There it is a claim: the standby says so, and nobody else knows.
 */
#ifndef DP_BUDGET_ROWS_ROWS_AS_OF_H
#define DP_BUDGET_ROWS_ROWS_AS_OF_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "utils/jsonb.h"

/*
 * When the rows that a snapshot taken now sees were current: 0 on a server that is no standby, or has replayed
 * nothing yet.  Where the transaction has one snapshot for all, not after its start.
 */
extern TimestampTz dp_budget_rows_as_of(void);

/* Releases, one block at least, that say so. */
extern Jsonb *dp_budget_note_rows_as_of(const Jsonb *releases, TimestampTz at);

/*
 * Releases that somebody else has written, in which it is a time that means the same for every reader, if it
 * is there; an error if it is none.
 */
extern const Jsonb *dp_budget_check_rows_as_of(const Jsonb *releases);

#endif							/* DP_BUDGET_ROWS_ROWS_AS_OF_H */
