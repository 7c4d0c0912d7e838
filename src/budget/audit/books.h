/* SPDX-License-Identifier: PostgreSQL */
/*
 * books.h
 *	  What the ledger's rows add up to, budget by budget.
 */
#ifndef DP_BUDGET_AUDIT_BOOKS_H
#define DP_BUDGET_AUDIT_BOOKS_H

#include "postgres.h"

#include "utils/hsearch.h"

#include "budget/rows/row.h"

/* A budget or cap as the ledger has it. */
typedef struct DpTally
{
	int64		number;			/* hash key */
	char		dataset[NAMEDATALEN];
	char		payer[NAMEDATALEN]; /* name it last had; empty: a cap */
	double		epsilon_limit;
	double		delta_limit;
	char	   *terms;			/* see dp_budget_row_terms */
	bool		refreshes;		/* by these */
	Interval	refresh;		/* length of a period */
	TimestampTz period_began;
	DpCurve		spent;
	int64		statements;
	int64		refusals;
	int64		entries;
	bool		seen;			/* for whoever looks for it */
} DpTally;

/* Numbers of budgets, both ends included. */
typedef struct DpNumbers
{
	int64		from;
	int64		through;
} DpNumbers;

/* All numbers there can be. */
#define DP_NUMBERS_ALL ((DpNumbers) {PG_INT64_MIN, PG_INT64_MAX})

/*
 * Those budgets that were set and not dropped whose numbers are asked for: memory grows
 * with how many these are, not with the ledger.
 */
typedef struct DpBooks
{
	HTAB	   *tallies;
	MemoryContext context;
	DpNumbers	numbers;
	int64	   *after;			/* ascending: the least numbers met with that come after these */
	int			nafter;
	int			most_after;		/* so many of them are kept */
	int64		greatest;		/* number of a budget that was entered, gone ones included, or 0 */
} DpBooks;

/* About what a tally takes of memory, its terms included. */
#define DP_TALLY_BYTES 2048

/* Empty books of budgets with these numbers, in the current memory context. */
extern DpBooks *dp_budget_books_create(DpNumbers numbers);

/* Are these books about a budget?  Keeps the least numbers that come after theirs, if asked to. */
extern bool dp_budget_books_cover(DpBooks *books, int64 number);

/*
 * Enter a row of the ledger; returns what is wrong with it, or NULL.  If the books are
 * of some budgets only: what is wrong about those.  A row about no budget is among the
 * least numbers.
 */
extern const char *dp_budget_books_enter(DpBooks *books, const Datum *values,
										 const bool *nulls);

/* The tally of a budget, or NULL. */
extern DpTally *dp_budget_books_find(DpBooks *books, int64 number);

/*
 * Does a row of the budget table belong to whom the ledger says, empty for a cap?
 * A role that was renamed may have left its name to none.
 */
extern bool dp_budget_books_same_payer(const DpBudgetRow *row, const char *payer);

#endif							/* DP_BUDGET_AUDIT_BOOKS_H */
