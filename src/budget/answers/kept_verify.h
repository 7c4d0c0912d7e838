/*
 * kept_verify.h
 *	  Do kept answers follow from the ledger?
 */
#ifndef DP_BUDGET_ANSWERS_KEPT_VERIFY_H
#define DP_BUDGET_ANSWERS_KEPT_VERIFY_H

#include "postgres.h"

#include "utils/relcache.h"
#include "utils/snapshot.h"

/* Told of a problem with the answer that is kept for a row of the ledger. */
typedef void (*DpKeptReport) (void *context, int64 entry, const char *problem);

/*
 * Look at every kept answer: is its charge in the ledger, did that pay for this question, and
 * is the answer as it was stored?  Answers of charges that were compacted are not looked at.
 */
extern void dp_budget_kept_verify(Relation ledger, Snapshot snapshot, DpKeptReport report, void *context);

#endif							/* DP_BUDGET_ANSWERS_KEPT_VERIFY_H */
