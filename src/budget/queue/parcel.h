/* SPDX-License-Identifier: PostgreSQL */
/*
 * parcel.h
 *	  Bytes on their way from a session to the keeper, however many.
 *
 * A few are in the parcel itself, which is in shared memory.  More are in a segment of
 * dynamic shared memory of their own, which the sender holds until it is told that they
 * arrived, or leaves to whoever receives it.
 */
#ifndef DP_BUDGET_QUEUE_PARCEL_H
#define DP_BUDGET_QUEUE_PARCEL_H

#include "postgres.h"

#include "storage/dsm.h"

/* How many bytes are in the parcel itself. */
#define DP_PARCEL_INLINE 8192

typedef struct DpParcel
{
	Size		size;
	dsm_handle	segment;		/* DSM_HANDLE_INVALID: the bytes are here */
	char		bytes[DP_PARCEL_INLINE] pg_attribute_aligned(MAXIMUM_ALIGNOF);
} DpParcel;

/* A parcel that a process sends or receives, while it does. */
typedef struct DpParcelBytes
{
	char	   *bytes;			/* aligned as by MAXALIGN; NULL: they are gone */
	dsm_segment *segment;		/* that holds them, or NULL */
} DpParcelBytes;

/*
 * Have room for bytes in a parcel, for the sender to fill in.  A segment lasts as long as
 * the current resource owner.  Raises an error if the server has no memory for it.
 */
extern DpParcelBytes dp_budget_parcel_fill(DpParcel *parcel, Size size);

/* The parcel is sent, and its receiver will have its bytes whatever becomes of the sender. */
extern void dp_budget_parcel_leave(DpParcelBytes *sent);

/* The bytes of a parcel, for its receiver. */
extern DpParcelBytes dp_budget_parcel_open(DpParcel *parcel);

/* Let go of a parcel that was sent or opened. */
extern void dp_budget_parcel_close(DpParcelBytes *held);

/* Nobody is going to receive a parcel that was left, or goes on doing so: it is not open. */
extern void dp_budget_parcel_forget(DpParcel *parcel);

#endif							/* DP_BUDGET_QUEUE_PARCEL_H */
