/* SPDX-License-Identifier: PostgreSQL */
/*
 * reply.c
 *	  What came of a charge, on its way from a primary to its standby.
 */
#include "postgres.h"

#include "base/compat_varlena.h"
#include "budget/replica/reply.h"

/* What the bytes begin with; another where the fields are others. */
#define FORMAT 0x64700001

/* A place among bytes that are written or read. */
typedef struct Place
{
	char	   *at;
	bool		write;
} Place;

static void
pass(Place *place, void *field, Size size)
{
	if (place->write)
		memcpy(place->at, field, size);
	else
		memcpy(field, place->at, size);
	place->at += size;
}

static void
pass_limit(Place *place, DpLimit *limit)
{
	pass(place, &limit->epsilon, sizeof(double));
	pass(place, &limit->delta, sizeof(double));
	pass(place, &limit->shares.partition, sizeof(double));
	pass(place, &limit->shares.variance, sizeof(double));
	pass(place, &limit->shares.rdp, sizeof(double));
	pass(place, &limit->delta_rdp, sizeof(double));
	pass(place, &limit->delta_variance, sizeof(double));
	pass(place, &limit->delta_partition, sizeof(double));
	pass(place, &limit->orders, sizeof(int));
	pass(place, limit->order, sizeof(limit->order));
	pass(place, limit->weight, sizeof(limit->weight));
}

static void
pass_balance(Place *place, DpBalance *balance)
{
	pass(place, &balance->budget, sizeof(int64));
	pass(place, &balance->payer, sizeof(Oid));
	pass(place, &balance->receipt.entry, sizeof(int64));
	pass(place, &balance->receipt.at, sizeof(TimestampTz));
	pass(place, balance->receipt.hash, DP_CHAIN_BYTES);
	pass_limit(place, &balance->limit);
	pass(place, &balance->spent, sizeof(DpCurve));
	pass(place, &balance->capped, sizeof(bool));
	pass(place, &balance->behind, sizeof(bool));
	pass(place, &balance->refused_by_cap, sizeof(bool));
	pass(place, &balance->alert, sizeof(double));
	pass_limit(place, &balance->cap_limit);
	pass(place, &balance->cap_spent, sizeof(DpCurve));
}

/* Field by field: what is between them might be anything. */
static Size
pass_all(Place place, DpChargeAnswer *answer)
{
	char	   *start = place.at;
	uint32		format = FORMAT;

	pass(&place, &format, sizeof(format));
	pass(&place, &answer->outcome, sizeof(DpOutcome));
	pass(&place, &answer->sqlstate, sizeof(int));
	pass(&place, answer->failure, DP_FAILURE_MAX);
	pass_balance(&place, &answer->balance);
	return place.at - start;
}

bytea *
dp_budget_replica_reply_write(const DpChargeAnswer *answer)
{
	DpChargeAnswer copy = {0};
	bytea	   *reply = palloc(VARHDRSZ + sizeof(uint32) + sizeof(DpChargeAnswer));
	Size		size;

	copy.outcome = answer->outcome;
	copy.sqlstate = answer->sqlstate;
	strlcpy(copy.failure, answer->failure, DP_FAILURE_MAX);
	/* Other answers have none: there it is whatever was there before. */
	if (answer->outcome == DP_OUTCOME_ADMITTED || answer->outcome == DP_OUTCOME_REFUSED)
		copy.balance = answer->balance;
	if (!copy.balance.capped)
	{
		memset(&copy.balance.cap_limit, 0, sizeof(DpLimit));
		memset(&copy.balance.cap_spent, 0, sizeof(DpCurve));
	}
	size = pass_all((Place) {.at = VARDATA(reply), .write = true}, &copy);
	SET_VARSIZE(reply, VARHDRSZ + size);
	return reply;
}

bool
dp_budget_replica_reply_read(const char *bytes, Size size, DpChargeAnswer *answer)
{
	DpChargeAnswer none = {0};
	char		all[sizeof(uint32) + sizeof(DpChargeAnswer)];
	uint32		format = FORMAT;

	memset(answer, 0, sizeof(*answer));
	if (size != pass_all((Place) {.at = all, .write = true}, &none) || memcmp(bytes, &format, sizeof(format)) != 0)
		return false;
	(void) pass_all((Place) {.at = unconstify(char *, bytes)}, answer);
	answer->failure[DP_FAILURE_MAX - 1] = '\0';
	return answer->outcome >= DP_OUTCOME_ADMITTED && answer->outcome <= DP_OUTCOME_UNACKNOWLEDGED;
}
