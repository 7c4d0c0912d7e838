/* SPDX-License-Identifier: PostgreSQL */
/*
 * parcel.c
 *	  Bytes on their way from a session to the keeper, however many.
 */
#include "postgres.h"

#include "base/injection.h"
#include "budget/queue/parcel.h"

DpParcelBytes
dp_budget_parcel_fill(DpParcel *parcel, Size size)
{
	DpParcelBytes filled = {.bytes = parcel->bytes};

	parcel->size = size;
	parcel->segment = DSM_HANDLE_INVALID;
	if (size <= DP_PARCEL_INLINE)
		return filled;
	DP_INJECTION_POINT("parcel");
	filled.segment = dsm_create(size, 0);
	filled.bytes = dsm_segment_address(filled.segment);
	parcel->segment = dsm_segment_handle(filled.segment);
	return filled;
}

void
dp_budget_parcel_leave(DpParcelBytes *sent)
{
	if (sent->segment)
		dsm_pin_segment(sent->segment);
	dp_budget_parcel_close(sent);
}

DpParcelBytes
dp_budget_parcel_open(DpParcel *parcel)
{
	DpParcelBytes opened = {0};

	if (parcel->segment == DSM_HANDLE_INVALID)
		opened.bytes = parcel->bytes;
	else
		opened.segment = dsm_attach(parcel->segment);
	if (opened.segment)
		opened.bytes = dsm_segment_address(opened.segment);
	return opened;
}

void
dp_budget_parcel_close(DpParcelBytes *held)
{
	if (held->segment)
		dsm_detach(held->segment);
	*held = (DpParcelBytes) {0};
}

void
dp_budget_parcel_forget(DpParcel *parcel)
{
	if (parcel->segment != DSM_HANDLE_INVALID)
		dsm_unpin_segment(parcel->segment);
	parcel->segment = DSM_HANDLE_INVALID;
}
