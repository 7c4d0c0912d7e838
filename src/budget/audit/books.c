/* SPDX-License-Identifier: PostgreSQL */
/*
 * books.c
 *	  What the ledger's rows add up to, budget by budget.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "base/compat_varlena.h"
#include "budget/account/role.h"
#include "budget/audit/books.h"
#include "budget/rows/ledger.h"
#include "budget/rows/ledger_cost.h"
#include "budget/rows/row.h"

DpBooks *
dp_budget_books_create(DpNumbers numbers)
{
	DpBooks    *books = palloc0(sizeof(DpBooks));
	HASHCTL		control = {
		.keysize = sizeof(int64),
		.entrysize = sizeof(DpTally),
		.hcxt = CurrentMemoryContext
	};

	books->context = CurrentMemoryContext;
	books->numbers = numbers;
	books->tallies = hash_create("dp_agg books", 64, &control,
								 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	return books;
}

DpTally *
dp_budget_books_find(DpBooks *books, int64 number)
{
	return hash_search(books->tallies, &number, HASH_FIND, NULL);
}

/* Keep a number that comes after those of these books, if it is among the least. */
static void
keep_after(DpBooks *books, int64 number)
{
	int			place = 0;
	int			end = books->nafter;

	while (place < end)
	{
		int			middle = place + (end - place) / 2;

		if (books->after[middle] < number)
			place = middle + 1;
		else
			end = middle;
	}
	if (place == books->most_after || (place < books->nafter && books->after[place] == number))
		return;
	if (books->after == NULL)
		books->after = MemoryContextAlloc(books->context, books->most_after * sizeof(int64));
	if (books->nafter < books->most_after)
		books->nafter++;
	memmove(&books->after[place + 1], &books->after[place],
			(books->nafter - place - 1) * sizeof(int64));
	books->after[place] = number;
}

bool
dp_budget_books_cover(DpBooks *books, int64 number)
{
	if (number > books->numbers.through)
		keep_after(books, number);
	return number >= books->numbers.from && number <= books->numbers.through;
}

/* The event a row is about; DP_EVENTS if there is no such. */
static DpEvent
event_of(const Datum *values, const bool *nulls)
{
	DpEvent		event = 0;
	char	   *name;

	if (nulls[DP_LEDGER_EVENT])
		return DP_EVENTS;
	name = TextDatumGetCString(values[DP_LEDGER_EVENT]);
	while (event < DP_EVENTS && strcmp(name, dp_budget_event_name[event]) != 0)
		event++;
	return event;
}

/* Read what had been spent when an administrative event was entered; false if it makes no sense. */
static bool
read_spent(const Datum *values, const bool *nulls, DpCurve *cost)
{
	if (nulls[DP_LEDGER_CURVE] || nulls[DP_LEDGER_PURE_EPSILON] || nulls[DP_LEDGER_DELTA] ||
		!dp_budget_row_read_curve(values[DP_LEDGER_CURVE], cost))
		return false;
	cost->pure = DatumGetFloat8(values[DP_LEDGER_PURE_EPSILON]);
	cost->delta = DatumGetFloat8(values[DP_LEDGER_DELTA]);
	return dp_budget_row_valid_cost(cost);
}

/* Copy a name of up to 63 bytes; empty for null. */
static void
copy_name(char *name, const Datum *values, const bool *nulls, int column)
{
	strlcpy(name, nulls[column] ? "" : TextDatumGetCString(values[column]), NAMEDATALEN);
}

/* Take up the terms of a limit that is set at a time. */
static void
enter_terms(DpBooks *books, DpTally *tally, Jsonb *terms, TimestampTz at)
{
	bool		refreshed = tally->refreshes;

	if (tally->terms != NULL)
		pfree(tally->terms);
	tally->terms = MemoryContextStrdup(books->context,
									   JsonbToCString(NULL, &terms->root, VARSIZE(terms)));
	tally->refreshes = dp_budget_row_terms_refresh(terms, &tally->refresh);
	/* A new length counts from when the period began. */
	if (tally->refreshes && !refreshed)
		tally->period_began = at;
}

/* Enter a limit, for a new budget or one there is. */
static const char *
enter_set(DpBooks *books, const Datum *values, const bool *nulls)
{
	int64		number = DatumGetInt64(values[DP_LEDGER_BUDGET]);
	bool		found;
	DpTally    *tally = hash_search(books->tallies, &number, HASH_ENTER, &found);
	DpCurve		spent;

	if (!found)
		memset((char *) tally + sizeof(number), 0, sizeof(*tally) - sizeof(number));
	tally->entries++;
	if (nulls[DP_LEDGER_EPSILON_LIMIT] || nulls[DP_LEDGER_DELTA_LIMIT] ||
		nulls[DP_LEDGER_RELEASES] || !read_spent(values, nulls, &spent))
		return "limit makes no sense";
	copy_name(tally->dataset, values, nulls, DP_LEDGER_DATASET);
	tally->epsilon_limit = DatumGetFloat8(values[DP_LEDGER_EPSILON_LIMIT]);
	tally->delta_limit = DatumGetFloat8(values[DP_LEDGER_DELTA_LIMIT]);
	enter_terms(books, tally, DatumGetJsonbP(values[DP_LEDGER_RELEASES]),
				DatumGetTimestampTz(values[DP_LEDGER_AT]));
	/* A new cap begins with what roles have spent. */
	if (!found && nulls[DP_LEDGER_PAYER])
		tally->spent = spent;
	if (!dp_budget_same_cost(&tally->spent, &spent, tally->entries))
		return "spent amounts are not what the ledger adds up to";
	return NULL;
}

/* Let a tally bear a statement. */
static void
bear(DpTally *tally, const DpCurve *cost)
{
	dp_accounting_compose(&tally->spent, cost);
	tally->statements++;
}

/* Enter a statement on the cap that was asked too. */
static const char *
enter_cap(DpBooks *books, DpEvent event, int64 number, const DpCurve *cost)
{
	DpTally    *cap = dp_budget_books_find(books, number);

	if (cap == NULL)
		return "its cap was never set";
	cap->entries++;
	if (event == DP_EVENT_CHARGE)
		bear(cap, cost);
	else if (event == DP_EVENT_CAP_REFUSAL)
		cap->refusals++;
	return NULL;
}

/* Work out the cost of a statement from its releases; what is wrong with them, or NULL. */
static const char *
read_cost(const Datum *values, const bool *nulls, DpCurve *cost)
{
	if (nulls[DP_LEDGER_RELEASES] || !nulls[DP_LEDGER_CURVE] ||
		!dp_budget_ledger_cost(DatumGetJsonbP(values[DP_LEDGER_RELEASES]), cost) ||
		!dp_budget_row_valid_cost(cost))
		return "releases make no sense";
	if (nulls[DP_LEDGER_PURE_EPSILON] || nulls[DP_LEDGER_DELTA] ||
		!dp_budget_same_amount(DatumGetFloat8(values[DP_LEDGER_PURE_EPSILON]), cost->pure, 0) ||
		!dp_budget_same_amount(DatumGetFloat8(values[DP_LEDGER_DELTA]), cost->delta, 0))
		return "cost does not follow from releases";
	return NULL;
}

/* Error in a statement, whoever paid, or NULL; and its cost. */
static const char *
read_statement(DpEvent event, const Datum *values, const bool *nulls, DpCurve *cost)
{
	const char *problem = read_cost(values, nulls, cost);

	if (problem != NULL)
		return problem;
	if (nulls[DP_LEDGER_ADMITTED] ||
		DatumGetBool(values[DP_LEDGER_ADMITTED]) != (event == DP_EVENT_CHARGE))
		return "it says of the statement both that it was admitted and that it was refused";
	if (event == DP_EVENT_CAP_REFUSAL && nulls[DP_LEDGER_CAP])
		return "refused by no cap";
	return NULL;
}

/* Do the counts a row keeps differ from a tally's? */
static bool
counts_differ(const DpTally *tally, Datum kept)
{
	DpBudgetRow row = {
		.statements = tally->statements,
		.refusals = tally->refusals,
		.entries = tally->entries
	};
	Datum		counts = DirectFunctionCall1(jsonb_in,
											 CStringGetDatum(dp_budget_row_counts(&row)));

	return compareJsonbContainers(&DatumGetJsonbP(counts)->root,
								  &DatumGetJsonbP(kept)->root) != 0;
}

/*
 * Let a tally's spent amounts start from zero.  What they were is in the row:
 * what had been tampered with by then does not pass for lost with them.
 */
static const char *
clear(DpTally *tally, const Datum *values, const bool *nulls)
{
	const char *problem = NULL;
	DpCurve		spent;

	if (!read_spent(values, nulls, &spent) || nulls[DP_LEDGER_RELEASES])
		problem = "what was spent until then is not known";
	else if (!dp_budget_same_cost(&spent, &tally->spent, tally->entries))
		problem = "spent amounts are not what the ledger adds up to";
	else if (counts_differ(tally, values[DP_LEDGER_RELEASES]))
		problem = "counts are not what the ledger adds up to";
	memset(&tally->spent, 0, sizeof(tally->spent));
	return problem;
}

static void
forget(DpBooks *books, DpTally *tally)
{
	if (tally->terms != NULL)
		pfree(tally->terms);
	(void) hash_search(books->tallies, &tally->number, HASH_REMOVE, NULL);
}

/* Begin a new period; what is wrong with that, or NULL. */
static const char *
refresh(DpTally *tally, TimestampTz at)
{
	const char *problem = NULL;

	if (!tally->refreshes)
		problem = "its budget does not refresh";
	else if (dp_budget_row_period_ends(tally->period_began, &tally->refresh) > at)
		problem = "its budget's period had not passed";
	tally->period_began = at;
	return problem;
}

/* Enter what happened to a budget there is, but for statements. */
static const char *
enter_event(DpBooks *books, DpTally *tally, DpEvent event, const Datum *values,
			const bool *nulls)
{
	const char *problem = NULL;

	if (event == DP_EVENTS)
		problem = "unknown event";
	else if (event != DP_EVENT_ACKNOWLEDGE)
		problem = clear(tally, values, nulls);
	tally->entries++;
	if (event == DP_EVENT_REFRESH)
	{
		const char *early = refresh(tally, DatumGetTimestampTz(values[DP_LEDGER_AT]));

		if (problem == NULL)
			problem = early;
	}
	if (event == DP_EVENT_RESET)
		tally->statements = tally->refusals = 0;
	else if (event == DP_EVENT_DROP)
		forget(books, tally);
	return problem;
}

/* Enter a row, but for a statement, on the budget that it is about. */
static const char *
enter_act(DpBooks *books, DpEvent event, const Datum *values, const bool *nulls)
{
	const char *problem = NULL;
	DpTally    *tally;

	if (event == DP_EVENT_SET)
		problem = enter_set(books, values, nulls);
	tally = dp_budget_books_find(books, DatumGetInt64(values[DP_LEDGER_BUDGET]));
	if (tally == NULL)
		return "its budget was never set";
	copy_name(tally->payer, values, nulls, DP_LEDGER_PAYER);
	if (event != DP_EVENT_SET)
		problem = enter_event(books, tally, event, values, nulls);
	return problem;
}

/* Enter a statement on the budget that paid, or was to; the cost is NULL if it makes no sense. */
static const char *
enter_payer(DpBooks *books, DpEvent event, const Datum *values, const bool *nulls,
			const DpCurve *cost)
{
	DpTally    *tally = dp_budget_books_find(books, DatumGetInt64(values[DP_LEDGER_BUDGET]));

	if (tally == NULL)
		return "its budget was never set";
	copy_name(tally->payer, values, nulls, DP_LEDGER_PAYER);
	tally->entries++;
	if (cost != NULL && event == DP_EVENT_CHARGE)
		bear(tally, cost);
	else if (cost != NULL)
		tally->refusals++;
	return NULL;
}

/*
 * Enter a statement on those of the budget and the cap that these books are about.  What
 * is wrong with the statement itself is the budget's to tell.
 */
static const char *
enter_statement(DpBooks *books, DpEvent event, const Datum *values, const bool *nulls)
{
	bool		pays = dp_budget_books_cover(books, DatumGetInt64(values[DP_LEDGER_BUDGET]));
	int64		cap = nulls[DP_LEDGER_CAP] ? 0 : DatumGetInt64(values[DP_LEDGER_CAP]);
	bool		capped = !nulls[DP_LEDGER_CAP] && dp_budget_books_cover(books, cap);
	const char *problem = NULL;
	const char *of_cap = NULL;
	const char *wrong;
	DpCurve		cost;

	if (!pays && !capped)
		return NULL;
	wrong = read_statement(event, values, nulls, &cost);
	if (pays)
		problem = enter_payer(books, event, values, nulls, wrong == NULL ? &cost : NULL);
	if (pays && problem == NULL)
		problem = wrong;
	if (capped && wrong == NULL)
		of_cap = enter_cap(books, event, cap, &cost);
	return problem != NULL ? problem : of_cap;
}

const char *
dp_budget_books_enter(DpBooks *books, const Datum *values, const bool *nulls)
{
	DpEvent		event = event_of(values, nulls);

	if (event == DP_EVENT_CHECKPOINT)
		return NULL;
	if (nulls[DP_LEDGER_BUDGET])
		return books->numbers.from == PG_INT64_MIN ? "row is about no budget" : NULL;
	books->greatest = Max(books->greatest, DatumGetInt64(values[DP_LEDGER_BUDGET]));
	if (event <= DP_EVENT_CAP_REFUSAL)
		return enter_statement(books, event, values, nulls);
	if (!dp_budget_books_cover(books, DatumGetInt64(values[DP_LEDGER_BUDGET])))
		return NULL;
	return enter_act(books, event, values, nulls);
}

bool
dp_budget_books_same_payer(const DpBudgetRow *row, const char *payer)
{
	Oid			named;

	if (!OidIsValid(row->role) || payer[0] == '\0')
		return !OidIsValid(row->role) && payer[0] == '\0';
	named = dp_budget_role_named(payer);
	return !OidIsValid(named) || named == row->role;
}
