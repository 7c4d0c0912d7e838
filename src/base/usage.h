/* SPDX-License-Identifier: PostgreSQL */
/*
 * usage.h
 *	  Taking back what a session counts of the pages it reads and the WAL it
 *	  writes, which EXPLAIN (BUFFERS, WAL) and others show.
 */
#ifndef DP_BASE_USAGE_H
#define DP_BASE_USAGE_H

#include "postgres.h"

#include "executor/instrument.h"

typedef struct DpUsage
{
	BufferUsage buffers;
	WalUsage	wal;
} DpUsage;

/* Counts so far. */
static inline DpUsage
dp_usage_now(void)
{
	return (DpUsage) {pgBufferUsage, pgWalUsage};
}

/* Forget what has been counted since. */
static inline void
dp_usage_take_back(const DpUsage *usage)
{
	pgBufferUsage = usage->buffers;
	pgWalUsage = usage->wal;
}

#endif							/* DP_BASE_USAGE_H */
