/* SPDX-License-Identifier: PostgreSQL */
/*
 * compat_page_reader.h
 *	  Versions of PostgreSQL: the tuples that a scan of a heap sees, a page at once.
 *
 * The scan is PostgreSQL's own, which pins, prunes and locks pages, tests what the snapshot
 * sees, shares blocks with other processes and goes around in a ring of buffers.  When it has
 * gone on to a page, this hands out what it has found there, and takes it for returned.  From
 * 17 on the scan reads ahead from files by itself; what is asked for here comes from shared
 * buffers.
 *
 * With 15, pages behind the first are read here, by the same functions, but for two things: a
 * buffer is not looked up where the blocks before it tell which it is, and tuples are not
 * tested one by one where all see all of a page.
 */
#ifndef DP_BASE_COMPAT_PAGE_READER_H
#define DP_BASE_COMPAT_PAGE_READER_H

#include "postgres.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* Bytes that come from memory at once, and how many are asked for beside a tuple at least. */
#define DP_PAGE_LINE 64
#define DP_PAGE_AHEAD (2 * DP_PAGE_LINE)

typedef struct DpPageReader
{
	HeapScanDesc scan;			/* or NULL */
	int			first;			/* of the scan's tuples on the page, */
	int			count;			/* and how many there are from it */
	const char *next;			/* the page that is likely to be the next, or NULL */
	int			piece;			/* bytes of it that are asked for beside each tuple */
	int64		shift;			/* with 15, from the last block to its buffer; and */
	bool		steady;			/* likewise from the one before */
} DpPageReader;

/*
 * Can a scan's tuples be had page by page: is it one of a heap, of all that a snapshot of a statement sees?  In private
 * statements none begins where another has got to; nor are these asked in serializable transactions, which would have to
 * note conflicts.
 */
static inline bool
dp_compat_has_pages(TableScanDesc scan)
{
	return scan->rs_rd->rd_tableam == GetHeapamTableAmRoutine() && (scan->rs_flags & SO_ALLOW_PAGEMODE) &&
		!(scan->rs_flags & SO_ALLOW_SYNC) && !IsolationIsSerializable();
}

/*
 * Guess the next page: it lies behind this one, if this lies behind the one before.  It is
 * not pinned, so that nobody may look at it; but to ask for its lines does no harm, and
 * nothing but time depends on it.
 */
static inline void
dp_compat_guess_page(DpPageReader *reader, Buffer before)
{
	Buffer		page = reader->scan->rs_cbuf;

	reader->next = page > 0 && page == before + 1 && page < NBuffers ? BufferGetPage(page + 1) : NULL;
	reader->piece = Max(DP_PAGE_AHEAD, BLCKSZ / reader->count);
}

#if PG_VERSION_NUM < 160000

/* The block that the scan reads behind its last one; InvalidBlockNumber at the end. */
static inline BlockNumber
dp_compat_next_block(HeapScanDesc scan)
{
	BlockNumber block = scan->rs_cblock + 1;

	if (scan->rs_base.rs_parallel)
		return table_block_parallelscan_nextpage(scan->rs_base.rs_rd, scan->rs_parallelworkerdata,
												 (ParallelBlockTableScanDesc) scan->rs_base.rs_parallel);
	return block < scan->rs_nblocks ? block : InvalidBlockNumber;
}

/*
 * Pin a block in the buffer where it is expected; false if it is not there.  That bumps no
 * usage count, so it is done only where the scan would not do so either.
 */
static inline bool
dp_compat_pin_expected(const DpPageReader *reader, BlockNumber block)
{
	Relation	rel = reader->scan->rs_base.rs_rd;
	int64		buffer = reader->shift + block;
	uint32		enough = reader->scan->rs_strategy ? 1 : BM_MAX_USAGE_COUNT;

	if (!reader->steady || buffer <= 0 || buffer > NBuffers ||
		BUF_STATE_GET_USAGECOUNT(pg_atomic_read_u32(&GetBufferDescriptor(buffer - 1)->state)) < enough ||
		!ReadRecentBuffer(rel->rd_node, MAIN_FORKNUM, block, (Buffer) buffer))
		return false;
	pgstat_count_buffer_read(rel);
	pgstat_count_buffer_hit(rel);
	return true;
}

/* Let go of the last page, and pin this block instead; InvalidBlockNumber stands for none. */
static inline void
dp_compat_pin(DpPageReader *reader, BlockNumber block)
{
	HeapScanDesc scan = reader->scan;
	int64		shift;

	ReleaseBuffer(scan->rs_cbuf);
	scan->rs_cbuf = InvalidBuffer;
	CHECK_FOR_INTERRUPTS();
	scan->rs_cblock = block;
	if (block == InvalidBlockNumber)
		return;
	if (dp_compat_pin_expected(reader, block))
		scan->rs_cbuf = (Buffer) (reader->shift + block);
	else
		scan->rs_cbuf = ReadBufferExtended(scan->rs_base.rs_rd, MAIN_FORKNUM, block, RBM_NORMAL, scan->rs_strategy);
	shift = (int64) scan->rs_cbuf - block;
	reader->steady = shift == reader->shift;
	reader->shift = shift;
}

/* Does the snapshot see this tuple of the pinned page? */
static inline bool
dp_compat_sees(HeapScanDesc scan, ItemId item, OffsetNumber offset)
{
	HeapTupleData tuple = {.t_tableOid = RelationGetRelid(scan->rs_base.rs_rd), .t_len = ItemIdGetLength(item)};

	tuple.t_data = (HeapTupleHeader) PageGetItem(BufferGetPage(scan->rs_cbuf), item);
	ItemPointerSet(&tuple.t_self, scan->rs_cblock, offset);
	return HeapTupleSatisfiesVisibility(&tuple, scan->rs_base.rs_snapshot, scan->rs_cbuf);
}

/* Find the tuples of the pinned page that the snapshot sees; returns how many there are. */
static inline int
dp_compat_find_visible(HeapScanDesc scan)
{
	Snapshot	snapshot = scan->rs_base.rs_snapshot;
	Page		page = BufferGetPage(scan->rs_cbuf);
	bool		all;
	int			found = 0;

	heap_page_prune_opt(scan->rs_base.rs_rd, scan->rs_cbuf);
	LockBuffer(scan->rs_cbuf, BUFFER_LOCK_SHARE);
	TestForOldSnapshot(snapshot, scan->rs_base.rs_rd, page);
	/* A standby may be told that all see a page before all there do. */
	all = PageIsAllVisible(page) && !snapshot->takenDuringRecovery;
	for (OffsetNumber offset = FirstOffsetNumber; offset <= PageGetMaxOffsetNumber(page); offset++)
	{
		ItemId		item = PageGetItemId(page, offset);

		if (ItemIdIsNormal(item) && (all || dp_compat_sees(scan, item, offset)))
			scan->rs_vistuples[found++] = offset;
	}
	LockBuffer(scan->rs_cbuf, BUFFER_LOCK_UNLOCK);
	return found;
}

/* Go on to the rest of the scan's page, or to the next of which it sees a tuple; false at the end, as PostgreSQL leaves it. */
static inline bool
dp_compat_next_page(DpPageReader *reader)
{
	HeapScanDesc scan = reader->scan;
	Buffer		before = scan->rs_cbuf;

	reader->first = scan->rs_cindex + 1;
	while (reader->first >= scan->rs_ntuples)
	{
		dp_compat_pin(reader, dp_compat_next_block(scan));
		scan->rs_inited = BufferIsValid(scan->rs_cbuf);
		if (!scan->rs_inited)
			return false;
		scan->rs_ntuples = dp_compat_find_visible(scan);
		reader->first = 0;
	}
	reader->count = scan->rs_ntuples - reader->first;
	scan->rs_cindex = scan->rs_ntuples - 1;
	ItemPointerSetBlockNumber(&scan->rs_ctup.t_self, scan->rs_cblock);
	pgstat_count_index_tuples(scan->rs_base.rs_rd, reader->count);
	dp_compat_guess_page(reader, before);
	return true;
}

#else

/* Go on to the next page of which the scan sees a tuple; false at the end. */
static inline bool
dp_compat_next_page(DpPageReader *reader)
{
	HeapScanDesc scan = reader->scan;
	Buffer		before = scan->rs_cbuf;

	reader->count = 0;
	if (heap_getnext(&scan->rs_base, ForwardScanDirection) == NULL)
		return false;
	reader->first = scan->rs_cindex;
	reader->count = scan->rs_ntuples - scan->rs_cindex;
	scan->rs_cindex = scan->rs_ntuples - 1;
	pgstat_count_index_tuples(scan->rs_base.rs_rd, reader->count - 1);
	dp_compat_guess_page(reader, before);
	return true;
}

#endif

/* The i-th tuple of the page, until it is asked for another; it stays pinned until the next page is read. */
static pg_attribute_always_inline HeapTuple
dp_compat_tuple(const DpPageReader *reader, int i)
{
	HeapTuple	tuple = &reader->scan->rs_ctup;
	Page		page = BufferGetPage(reader->scan->rs_cbuf);
	OffsetNumber offset = reader->scan->rs_vistuples[reader->first + i];
	ItemId		item = PageGetItemId(page, offset);

	for (int at = i * reader->piece; reader->next && at < Min((i + 1) * reader->piece, BLCKSZ); at += DP_PAGE_LINE)
		__builtin_prefetch(reader->next + at, 0, 2);
	tuple->t_data = (HeapTupleHeader) PageGetItem(page, item);
	tuple->t_len = ItemIdGetLength(item);
	ItemPointerSetOffsetNumber(&tuple->t_self, offset);
	return tuple;
}

#endif							/* DP_BASE_COMPAT_PAGE_READER_H */
