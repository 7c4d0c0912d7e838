/* SPDX-License-Identifier: PostgreSQL */
/*
 * walk.c
 *	  Walking the ledger's rows in order, checking that each continues the
 *	  chain.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "base/compat_catalog.h"
#include "base/compat_varlena.h"
#include "budget/rows/chain.h"
#include "budget/rows/ledger.h"
#include "budget/rows/walk.h"

void
dp_budget_walk_begin(DpWalk *walk, Relation ledger, Snapshot snapshot,
					 const DpChainEnd *from)
{
	int			columns = RelationGetNumberOfAttributes(ledger);

	memset(walk, 0, sizeof(*walk));
	walk->ledger = ledger;
	walk->index = index_open(dp_compat_primary_key(ledger), AccessShareLock);
	walk->scan = systable_beginscan_ordered(ledger, walk->index, snapshot, 0, NULL);
	walk->row_context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg ledger row",
											  ALLOCSET_DEFAULT_SIZES);
	walk->chained = from != NULL;
	if (walk->chained)
		walk->last = *from;
	walk->values = palloc(columns * sizeof(Datum));
	walk->nulls = palloc(columns * sizeof(bool));
}

/* The hash a row bears; NULL if it bears none. */
static const uint8 *
borne_hash(DpWalk *walk)
{
	bytea	   *hash;

	if (walk->nulls[DP_LEDGER_HASH])
		return NULL;
	hash = DatumGetByteaPP(walk->values[DP_LEDGER_HASH]);
	if (VARSIZE_ANY_EXHDR(hash) != DP_CHAIN_BYTES)
		return NULL;
	return (const uint8 *) VARDATA_ANY(hash);
}

/* Error in a row's number or hash, or NULL. */
static const char *
check_row(DpWalk *walk, const uint8 *borne)
{
	int64		expected = walk->last.id + 1;
	uint8		hash[DP_CHAIN_BYTES];

	if (walk->id > expected)
		return psprintf("rows " INT64_FORMAT " to " INT64_FORMAT " are missing",
						expected, walk->id - 1);
	if (walk->id < expected)
		return "row does not belong here";
	dp_budget_chain_hash(walk->last.hash, DP_LEDGER_HASH, dp_budget_ledger_types,
						 walk->values, walk->nulls, NULL, hash);
	if (borne == NULL || memcmp(borne, hash, DP_CHAIN_BYTES) != 0)
		return "hash does not match: this row or the one before was changed";
	return NULL;
}

/* Look at the row in hand; go on from what it bears, right or wrong. */
static const char *
visit(DpWalk *walk)
{
	const uint8 *borne;
	const char *problem;

	heap_deform_tuple(walk->tuple, RelationGetDescr(walk->ledger),
					  walk->values, walk->nulls);
	walk->id = DatumGetInt64(walk->values[DP_LEDGER_ID]);
	borne = borne_hash(walk);
	problem = walk->chained ? check_row(walk, borne) : NULL;
	walk->last.id = walk->id;
	if (borne != NULL)
		memcpy(walk->last.hash, borne, DP_CHAIN_BYTES);
	return problem;
}

bool
dp_budget_walk_next(DpWalk *walk, const char **problem)
{
	MemoryContext old;

	CHECK_FOR_INTERRUPTS();
	walk->tuple = systable_getnext_ordered(walk->scan, ForwardScanDirection);
	if (!HeapTupleIsValid(walk->tuple))
		return false;
	MemoryContextReset(walk->row_context);
	old = MemoryContextSwitchTo(walk->row_context);
	*problem = visit(walk);
	MemoryContextSwitchTo(old);
	return true;
}

void
dp_budget_walk_end(DpWalk *walk)
{
	systable_endscan_ordered(walk->scan);
	index_close(walk->index, AccessShareLock);
	MemoryContextDelete(walk->row_context);
}
