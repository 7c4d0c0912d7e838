/* SPDX-License-Identifier: PostgreSQL */
/*
 * invalidation.c
 *	  Whether anything changed that a validated block may depend on.
 */
#include "postgres.h"

#include "access/xact.h"
#include "storage/sinval.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "draw/invalidation.h"

/*
 * What validation looks up beside relations, whose own changes (columns, indexes,
 * constraints, children, privileges, labels) are told as changes of the relation.
 */
static const int caches[] = {
	AMOPOPID,
	AMPROCNUM,
	AUTHMEMROLEMEM,
	AUTHOID,
	CASTSOURCETARGET,
	CLAOID,
	CONSTROID,
	ENUMOID,
	FOREIGNDATAWRAPPEROID,
	FOREIGNSERVEROID,
	OPEROID,
	PROCOID,
	TYPEOID,
	USERMAPPINGOID,
};

static uint64 invalidations = 0;

/* Transactions that ended and may have changed catalogs: if they failed, no message says so. */
static uint64 writers = 0;

static void
count_relation(Datum arg, Oid relid)
{
	invalidations++;
}

static void
count_entry(Datum arg, int cache, uint32 hash)
{
	invalidations++;
}

static void
count_writer(XactEvent event, void *arg)
{
	if (TransactionIdIsValid(GetTopTransactionIdIfAny()))
		writers++;
}

uint64
dp_draw_invalidations(void)
{
	return invalidations;
}

/* Each of these only grows, so that the sum stays only if all of them do. */
uint64
dp_draw_cache_changes(void)
{
	if (TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return 0;
	return 1 + SharedInvalidMessageCounter + invalidations + writers;
}

void
dp_draw_invalidation_init(void)
{
	RegisterXactCallback(count_writer, NULL);
	CacheRegisterRelcacheCallback(count_relation, (Datum) 0);
	for (int i = 0; i < lengthof(caches); i++)
		CacheRegisterSyscacheCallback(caches[i], count_entry, (Datum) 0);
}
