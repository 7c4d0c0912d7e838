/* SPDX-License-Identifier: PostgreSQL */
/*
 * compat_page_reader.h
 *	  Versions of PostgreSQL: the tuples that a scan of a heap sees, a page at once.
 *
 * The scan is PostgreSQL's own, which pins, prunes and locks pages, tests what the snapshot
 * sees, notes conflicts of serializable transactions, shares blocks with other processes and
 * goes around in a ring of buffers.  When it has gone on to a page, this hands out what it
 * has found there, and takes it for returned.  From 17 on the scan reads ahead from files by
 * itself; what is asked for here comes from shared buffers.
 */
#ifndef DP_BASE_COMPAT_PAGE_READER_H
#define DP_BASE_COMPAT_PAGE_READER_H

#include "postgres.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"

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
} DpPageReader;

/* Can a scan's tuples be had page by page: is it one of a heap, of all that a snapshot of a statement sees? */
static inline bool
dp_compat_has_pages(TableScanDesc scan)
{
	return scan->rs_rd->rd_tableam == GetHeapamTableAmRoutine() && (scan->rs_flags & SO_ALLOW_PAGEMODE);
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
