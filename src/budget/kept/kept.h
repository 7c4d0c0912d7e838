/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept.h
 *	  Answers that were paid for and are kept: the door for the rest of the extension.
 *
 * An answer belongs to the budget that paid for it, by a number that is never used again, and
 * by the role that the ledger says paid.
 * Knows no query trees: a question is its digest, what was released is bytes.
 */
#ifndef DP_BUDGET_KEPT_KEPT_H
#define DP_BUDGET_KEPT_KEPT_H

#include "postgres.h"

#include "budget/account/payer.h"
#include "budget/kept/kept_table.h"

/* Answers of more rows or bytes are not kept. */
#define DP_KEPT_MOST_ROWS 100000
#define DP_KEPT_MOST_BYTES (16 * 1024 * 1024)

/* An answer that was kept. */
typedef struct DpKept
{
	TimestampTz asked_at;
	bytea	   *released;		/* in the current memory context */
} DpKept;

/* Are answers kept at all? */
extern bool dp_budget_kept_is_on(void);

/* Wait until answers that a budget paid for, and that have been sent, are stored. */
extern void dp_budget_kept_await(int64 budget);

/*
 * The budget whose answers a role may be shown, all that were sent so far being stored;
 * false if there is none, or if it is not for the session to say.
 */
extern bool dp_budget_kept_of(Oid role, const char *dataset, DpBudgetId *budget);

/*
 * Find what a budget paid for as the answer to a question, asked not before a time.  What
 * that reads is not counted as the session's use.
 */
extern bool dp_budget_kept_find(const DpBudgetId *budget, const uint8 *question,
								TimestampTz not_before, DpKept *kept);

/* An answer that others may be added up from. */
typedef struct DpKeptFiner
{
	uint8		question[DP_QUESTION_BYTES];
	TimestampTz asked_at;
	bytea	   *shape;
} DpKeptFiner;

/*
 * Find what a budget paid for of a base, asked not before a time: a List of DpKeptFiner.
 */
extern List *dp_budget_kept_find_finer(const DpBudgetId *budget, const uint8 *base, TimestampTz not_before);

/* Count that an answer was shown again. */
extern void dp_budget_kept_replayed(const DpBudgetId *budget, const char *dataset,
									const uint8 *question);

/*
 * Have answers (a List of DpKeptAnswer of one budget) be stored, and do not wait for it.  If
 * there is no room for them they are not.
 */
extern void dp_budget_kept_send(List *answers);

/*
 * Removing kept answers, with the caller's transaction.
 */

/* Forget what was asked of a relation, by its name with its schema. */
extern void dp_budget_kept_forget_relation(const char *relation);

/* Forget what a budget paid for. */
extern void dp_budget_kept_forget_budget(int64 budget);

/*
 * Do kept answers follow from the ledger?
 */

/* Told of a problem with the answer that is kept for a row of the ledger. */
typedef void (*DpKeptReport) (void *context, int64 entry, const char *problem);

/*
 * Look at every kept answer: is its charge in the ledger, did that pay for this question, and
 * is the answer as it was stored?  Answers of charges that were compacted are not looked at.
 */
extern void dp_budget_kept_verify(Relation ledger, Snapshot snapshot, DpKeptReport report, void *context);

#endif							/* DP_BUDGET_KEPT_KEPT_H */
