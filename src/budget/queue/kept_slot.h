/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_slot.h
 *	  Where a server process leaves answers for its database's keeper; see kept_queue.h.
 */
#ifndef DP_BUDGET_QUEUE_KEPT_SLOT_H
#define DP_BUDGET_QUEUE_KEPT_SLOT_H

#include "postgres.h"

#include "lib/ilist.h"
#include "port/atomics.h"

#include "budget/queue/parcel.h"

typedef struct DpKeptSlot
{
	dlist_node	node;			/* in its keeper's list, while it is full */
	pg_atomic_uint32 full;
	int			keeper;			/* index of that */
	uint64		number;			/* of what was sent: 1, 2, ... */
	int64		budget;			/* that paid */
	DpParcel	parcel;
} DpKeptSlot;

#endif							/* DP_BUDGET_QUEUE_KEPT_SLOT_H */
