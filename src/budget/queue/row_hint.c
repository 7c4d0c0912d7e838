/* SPDX-License-Identifier: PostgreSQL */
/*
 * row_hint.c
 *	  Where rows that are written again and again were last, in shared memory.
 *
 * So many places are remembered, one of all rows whose keys have the same remainder.
 * Key and place are written without a lock: whoever reads one of each finds a row that
 * is not the one it looks for, which it verifies anyway.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tableam.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "budget/queue/queue_state.h"
#include "budget/queue/row_hint.h"

#define DP_PLACES 4096

typedef struct DpPlaces
{
	struct
	{
		pg_atomic_uint64 key;
		pg_atomic_uint64 tid;	/* block and offset; 0: none */
	}			place[DP_PLACES];
} DpPlaces;

Size
dp_budget_place_memory(void)
{
	return sizeof(DpPlaces);
}

void
dp_budget_place_init(DpPlaces *places)
{
	for (int i = 0; i < DP_PLACES; i++)
	{
		pg_atomic_init_u64(&places->place[i].key, 0);
		pg_atomic_init_u64(&places->place[i].tid, 0);
	}
}

uint64
dp_budget_place_key(Relation table, uint64 number, const void *bytes, Size size)
{
	uint64		key = hash_bytes_extended(bytes, size, number);

	return hash_combine64(key, ((uint64) MyDatabaseId << 32) | RelationGetRelid(table));
}

void
dp_budget_place_leave(uint64 key, const ItemPointerData *tid)
{
	DpPlaces   *places = dp_budget_queue != NULL ? dp_budget_queue->places : NULL;

	uint64		place = ((uint64) ItemPointerGetBlockNumber(tid) << 16) | ItemPointerGetOffsetNumber(tid);

	if (places == NULL)
		return;
	pg_atomic_write_u64(&places->place[key % DP_PLACES].key, key);
	pg_atomic_write_u64(&places->place[key % DP_PLACES].tid, place);
}

void
dp_budget_place_leave_newest(uint64 key, HeapTuple tuple)
{
	if (ItemPointerEquals(&tuple->t_self, &tuple->t_data->t_ctid))
		dp_budget_place_leave(key, &tuple->t_self);
}

/* The place of a row, if one is remembered and the table is that long. */
static bool
get_place(Relation table, uint64 key, ItemPointer tid)
{
	DpPlaces   *places = dp_budget_queue != NULL ? dp_budget_queue->places : NULL;
	uint64		place;

	if (places == NULL || pg_atomic_read_u64(&places->place[key % DP_PLACES].key) != key)
		return false;
	place = pg_atomic_read_u64(&places->place[key % DP_PLACES].tid);
	ItemPointerSet(tid, (BlockNumber) (place >> 16), (OffsetNumber) (place & 0xFFFF));
	return ItemPointerIsValid(tid) &&
		ItemPointerGetBlockNumber(tid) < RelationGetNumberOfBlocks(table);
}

/* Follow a version to the one after it that a snapshot sees, if there is one. */
static void
follow(Relation table, Snapshot snapshot, ItemPointer tid)
{
	TableScanDesc scan = table_beginscan_tid(table, snapshot);

	table_tuple_get_latest_tid(scan, tid);
	table_endscan(scan);
}

bool
dp_budget_place_fetch(Relation table, uint64 key, Snapshot snapshot, TupleTableSlot *slot)
{
	ItemPointerData tid;

	if (!get_place(table, key, &tid))
		return false;
	if (table_tuple_fetch_row_version(table, &tid, snapshot, slot))
		return true;
	follow(table, snapshot, &tid);
	return table_tuple_fetch_row_version(table, &tid, snapshot, slot);
}
