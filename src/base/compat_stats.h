/* SPDX-License-Identifier: PostgreSQL */
/*
 * compat_stats.h
 *	  Versions of PostgreSQL: counters, and what scans leave behind.
 *
 * Only this and its like beside it know version numbers: PostgreSQL 15 to 19.  Code elsewhere uses
 * the names defined here.  Each is a thin inline function that says what it guarantees on every version.
 */
#ifndef DP_BASE_COMPAT_STATS_H
#define DP_BASE_COMPAT_STATS_H

#include "postgres.h"

#include "access/nbtree.h"
#include "access/visibilitymap.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/compat_varlena.h"

/* Look up how a scan skips over values of a B-tree's column that no key names, or only as a range (18). */
static inline void
dp_compat_look_up_skips(Relation index, int column)
{
#if PG_VERSION_NUM >= 180000
	static const int16 strategies[] = {BTEqualStrategyNumber, BTLessEqualStrategyNumber, BTGreaterEqualStrategyNumber};
	Oid			family = index->rd_opfamily[column];
	Oid			type = index->rd_opcintype[column];

	/*
	 * Keys that are less or greater than a value are turned into such that may also be equal to
	 * the next.
	 */
	for (int i = 0; i < lengthof(strategies); i++)
	{
		Oid			operator = get_opfamily_member(family, type, type, strategies[i]);

		if (OidIsValid(operator))
			(void) get_opcode(operator);
	}
	(void) get_opfamily_proc(family, type, type, BTSKIPSUPPORT_PROC);
#endif
}

/* May a scan make the visibility map of a table longer (19)? */
static inline bool
dp_compat_scans_extend_maps(void)
{
	return PG_VERSION_NUM >= 190000;
}

/* Make the visibility map of a table as long as a scan may. */
static inline void
dp_compat_extend_map(Relation relation)
{
#if PG_VERSION_NUM >= 190000
	Buffer		map = InvalidBuffer;

	if (relation->rd_rel->relam != HEAP_TABLE_AM_OID)
		return;
	visibilitymap_pin(relation, RelationGetNumberOfBlocks(relation), &map);
	ReleaseBuffer(map);
#endif
}

/* Statistics from inside, for who asks: their header brings much along. */
#ifdef DP_COMPAT_COUNTERS
#include "utils/pgstat_internal.h"
#if PG_VERSION_NUM >= 180000
#include "storage/aio_internal.h"

/* Wait for the oldest of this process's reads that are under way. */
static inline void
dp_compat_await_read(void)
{
	PgAioHandle *read = dclist_head_element(PgAioHandle, node, &pgaio_my_backend->in_flight_ios);
	PgAioWaitRef reference = {
		.aio_index = read - pgaio_ctl->io_handles,
		.generation_upper = (uint32) (read->generation >> 32),
		.generation_lower = (uint32) read->generation,
	};

	pgaio_wref_wait(&reference);
}

/*
 * Step over the numbers that reads by a handle may have taken since the last call: a
 * count of its reads, which may only grow.  It lasts for 2^36 calls.
 */
static inline void
dp_compat_number_on(PgAioHandle *handle)
{
	const uint64 step = UINT64CONST(1) << 28;

	handle->generation = (handle->generation / step + 1) * step;
}
#endif

/*
 * End this process's reads, and put the handles for coming ones in order.  Since 18
 * debugging messages show their numbers, and with io_uring how often each was used.
 * These tell of the reads before, even in sessions that have the process's slot later.
 */
static inline void
dp_compat_settle_reads(void)
{
#if PG_VERSION_NUM >= 180000
	PgAioBackend *own = pgaio_my_backend;

	if (own == NULL)
		return;
	HOLD_INTERRUPTS();
	if (pgaio_have_staged())
		pgaio_submit_staged();
	while (!dclist_is_empty(&own->in_flight_ios))
		dp_compat_await_read();
	for (int i = io_max_concurrency - 1; i >= 0; i--)
	{
		PgAioHandle *handle = &pgaio_ctl->io_handles[own->io_handle_off + i];

		if (handle->state != PGAIO_HS_IDLE)
			continue;
		dp_compat_number_on(handle);
		dclist_delete_from(&own->idle_ios, &handle->node);
		dclist_push_head(&own->idle_ios, &handle->node);
	}
	RESUME_INTERRUPTS();
#endif
}

/* Add what is counted whatever track_counts says to the shared statistics. */
static inline void
dp_compat_flush_counters(void)
{
#if PG_VERSION_NUM >= 190000
	(void) pgstat_lock_flush_cb(false);
#endif
#if PG_VERSION_NUM >= 180000
	(void) pgstat_slru_flush_cb(false);
	(void) pgstat_flush_backend(false, PGSTAT_BACKEND_FLUSH_IO);
#else
	(void) pgstat_slru_flush(false);
#endif
#if PG_VERSION_NUM >= 160000
	(void) pgstat_flush_io(false);
#endif
}

/* The locks of the shared statistics that flushing takes. */
static inline void
dp_compat_init_counters(PgStat_ShmemControl *shared)
{
	LWLockInitialize(&shared->slru.lock, LWTRANCHE_PGSTATS_DATA);
#if PG_VERSION_NUM >= 190000
	LWLockInitialize(&shared->lock.lock, LWTRANCHE_PGSTATS_DATA);
#endif
#if PG_VERSION_NUM >= 160000
	LWLockInitialize(&shared->io.locks[MyBackendType], LWTRANCHE_PGSTATS_DATA);
#endif
}

/* This process's own entry among the shared statistics (18), or NULL. */
static inline PgStat_EntryRef *
dp_compat_own_counters(void)
{
#if PG_VERSION_NUM >= 180000
	return pgstat_get_entry_ref(PGSTAT_KIND_BACKEND, InvalidOid, MyProcNumber, false, NULL);
#else
	return NULL;
#endif
}

/* Room for what dp_compat_own_counters() points to. */
#if PG_VERSION_NUM >= 180000
typedef PgStatShared_Backend DpOwnCounters;
#else
typedef PgStatShared_Database DpOwnCounters;
#endif

#endif							/* DP_COMPAT_COUNTERS */

#endif							/* DP_BASE_COMPAT_STATS_H */
