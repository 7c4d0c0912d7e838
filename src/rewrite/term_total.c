/* SPDX-License-Identifier: PostgreSQL */
/*
 * term_total.c
 *	  Sums of terms: see term_total.h.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "base/compat_varlena.h"
#include "rewrite/term_total.h"

/* Sums of fewer terms are parts of the terms that they occur in. */
#define LEAST_SHARED 64

/* A call of an aggregate holds so many sums at most, and bytes of them; others are parts of terms, too. */
#define MOST_HELD 1000
#define MOST_BYTES ((Size) DP_TERM_MOST_BYTES)

PG_FUNCTION_INFO_V1(dp_rewrite_term_add);
PG_FUNCTION_INFO_V1(dp_rewrite_term_total);
PG_FUNCTION_INFO_V1(dp_rewrite_term_mean);

/* Terms that a statement holds. */
typedef struct Held
{
	uint64		number;
	MemoryContext statement;
	StringInfoData terms;
	struct Held *next;			/* of the same call */
} Held;

/* What a call of an aggregate holds, until its statement ends. */
typedef struct Holder
{
	MemoryContext context;
	MemoryContextCallback end;
	Held	   *first;
	int			count;
	Size		bytes;
} Holder;

typedef struct HeldEntry
{
	uint64		number;			/* must be first */
	const Held *held;
} HeldEntry;

/* All that are held, by their numbers. */
static HTAB *all_held = NULL;
static uint64 last_number = 0;

/* Terms that are added up, one behind the other. */
typedef struct Total
{
	StringInfoData terms;
	int64		count;
	bool		too_long;
	Held	   *held;			/* a copy of the first of them, or NULL */
} Total;

const char *
dp_rewrite_terms_of_total(const DpTermTotal *total, MemoryContext statement)
{
	const HeldEntry *entry = all_held ? hash_search(all_held, &total->number, HASH_FIND, NULL) : NULL;

	return entry && entry->held->statement == statement && total->length >= 0 && total->length <= entry->held->terms.len ?
		entry->held->terms.data : NULL;
}

/* Forget what a call held. */
static void
forget(void *arg)
{
	for (const Held *held = ((Holder *) arg)->first; held; held = held->next)
		(void) hash_search(all_held, &held->number, HASH_REMOVE, NULL);
}

/* What the running call holds. */
static Holder *
holder_of(FunctionCallInfo fcinfo)
{
	Holder	   *holder = fcinfo->flinfo->fn_extra;
	MemoryContext context;

	if (holder)
		return holder;
	context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "dp_agg totals", ALLOCSET_DEFAULT_SIZES);
	holder = MemoryContextAllocZero(context, sizeof(Holder));
	holder->context = context;
	holder->end.func = forget;
	holder->end.arg = holder;
	MemoryContextRegisterResetCallback(context, &holder->end);
	fcinfo->flinfo->fn_extra = holder;
	return holder;
}

/* Hold one sum more. */
static Held *
hold(Holder *holder, MemoryContext statement)
{
	HASHCTL		control = {.keysize = sizeof(uint64), .entrysize = sizeof(HeldEntry)};
	MemoryContext old = MemoryContextSwitchTo(holder->context);
	Held	   *held = palloc0(sizeof(Held));
	HeldEntry  *entry;

	if (all_held == NULL)
		all_held = hash_create("dp_agg totals", 16, &control, HASH_ELEM | HASH_BLOBS);
	held->number = ++last_number;
	held->statement = statement;
	initStringInfo(&held->terms);
	entry = hash_search(all_held, &held->number, HASH_ENTER, NULL);
	entry->held = held;
	held->next = holder->first;
	holder->first = held;
	holder->count++;
	MemoryContextSwitchTo(old);
	return held;
}

/* Have a sum be held, as far as it goes; returns whether it is. */
static bool
is_held(FunctionCallInfo fcinfo, Total *total)
{
	Holder	   *holder;
	Size		more;

	if (total->count < LEAST_SHARED || total->too_long)
		return false;
	holder = holder_of(fcinfo);
	more = total->terms.len - (total->held ? total->held->terms.len : 0);
	if (holder->bytes + more > MOST_BYTES || (total->held == NULL && holder->count == MOST_HELD))
		return false;
	if (total->held == NULL)
		total->held = hold(holder, fcinfo->flinfo->fn_mcxt);
	appendBinaryStringInfo(&total->held->terms, total->terms.data + total->held->terms.len, (int) more);
	holder->bytes += more;
	return true;
}

/* term_add(state internal, term bytea): NULL is left out */
Datum
dp_rewrite_term_add(PG_FUNCTION_ARGS)
{
	Total	   *total = PG_ARGISNULL(0) ? NULL : (Total *) PG_GETARG_POINTER(0);
	MemoryContext context;
	MemoryContext old;
	const bytea *term;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "term_add is called by aggregates alone");
	old = MemoryContextSwitchTo(context);
	if (total == NULL)
	{
		total = palloc0(sizeof(Total));
		initStringInfo(&total->terms);
	}
	if (!PG_ARGISNULL(1) && !total->too_long)
	{
		term = PG_GETARG_BYTEA_PP(1);
		total->too_long = total->terms.len + VARSIZE_ANY_EXHDR(term) > DP_TERM_MOST_BYTES;
		total->count++;
		if (!total->too_long)
			appendBinaryStringInfo(&total->terms, VARDATA_ANY(term), VARSIZE_ANY_EXHDR(term));
	}
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(total);
}

/* Append the sum of all. */
static void
append_total(FunctionCallInfo fcinfo, StringInfo term, Total *total)
{
	DpTermTotal shared = {.count = total->count, .length = total->terms.len};

	if (total->too_long)
		dp_rewrite_append_kind(term, DP_TERM_UNKNOWN, 0);
	else if (is_held(fcinfo, total))
	{
		shared.number = total->held->number;
		dp_rewrite_append_kind(term, DP_TERM_TOTAL, sizeof(shared));
		dp_rewrite_append_term(term, &shared, sizeof(shared));
	}
	else
	{
		appendBinaryStringInfo(term, total->terms.data, total->terms.len);
		dp_rewrite_append_kind(term, DP_TERM_SUM, sizeof(total->count));
		dp_rewrite_append_term(term, &total->count, sizeof(total->count));
	}
}

/* The sum of the terms in the first argument, or their mean; NULL of none. */
static Datum
finish_total(FunctionCallInfo fcinfo, bool mean)
{
	Total	   *total = PG_ARGISNULL(0) ? NULL : (Total *) PG_GETARG_POINTER(0);
	StringInfoData term;

	if (total == NULL || total->count == 0)
		PG_RETURN_NULL();
	dp_rewrite_begin_term(&term);
	append_total(fcinfo, &term, total);
	if (mean)
	{
		dp_rewrite_append_constant(&term, total->count, total->count);
		dp_rewrite_append_kind(&term, DP_TERM_OVER, 0);
	}
	PG_RETURN_BYTEA_P(dp_rewrite_finish_term(&term));
}

/* term_total(state internal) */
Datum
dp_rewrite_term_total(PG_FUNCTION_ARGS)
{
	return finish_total(fcinfo, false);
}

/* term_mean(state internal) */
Datum
dp_rewrite_term_mean(PG_FUNCTION_ARGS)
{
	return finish_total(fcinfo, true);
}
