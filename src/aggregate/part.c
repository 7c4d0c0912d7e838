/* SPDX-License-Identifier: PostgreSQL */
/*
 * part.c
 *	  What one server hands to another: what some of a unit's rows add up to.
 *
 * unit_part and unit_sum_part return, for the rows of a unit in a group that one server
 * holds, their sum and number.  A part is bytes in network order, and says which bounds
 * its rows were clamped to, so that servers that do not mean the same by a specification
 * are found out.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"

#include "aggregate/part.h"
#include "aggregate/state.h"
#include "base/compat_varlena.h"

/* total, rows, grid, low, high */
#define PART_SIZE (16 + 8 + 4 + 8 + 8)

PG_FUNCTION_INFO_V1(dp_aggregate_part);

/* Final function of unit_part and unit_sum_part; NULL without a state. */
Datum
dp_aggregate_part(PG_FUNCTION_ARGS)
{
	const DpExactState *state;
	StringInfoData part;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (const DpExactState *) PG_GETARG_POINTER(0);
	pq_begintypsend(&part);
	pq_sendint64(&part, (uint64) (state->total >> 64));
	pq_sendint64(&part, (uint64) state->total);
	pq_sendint64(&part, (uint64) state->rows);
	pq_sendint32(&part, (uint32) state->bounds->grid.grid);
	pq_sendint64(&part, (uint64) state->bounds->low);
	pq_sendint64(&part, (uint64) state->bounds->high);
	PG_RETURN_BYTEA_P(pq_endtypsend(&part));
}

void
dp_aggregate_refuse_part(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid part of an exact aggregate")));
}

DpPart
dp_aggregate_read_part(const bytea *value, int grid, int64 low, int64 high)
{
	const bytea *plain = pg_detoast_datum_packed(unconstify(bytea *, value));
	StringInfoData bytes = {
		.data = VARDATA_ANY(plain),
		.len = VARSIZE_ANY_EXHDR(plain),
		.maxlen = -1
	};
	DpPart		part;

	if (bytes.len != PART_SIZE)
		dp_aggregate_refuse_part();
	part.total = (int128) ((uint128) (uint64) pq_getmsgint64(&bytes) << 64);
	part.total |= (uint64) pq_getmsgint64(&bytes);
	part.rows = pq_getmsgint64(&bytes);
	if ((int) pq_getmsgint(&bytes, 4) != grid ||
		pq_getmsgint64(&bytes) != low || pq_getmsgint64(&bytes) != high ||
		part.rows < 0 || part.total < (int128) part.rows * low || part.total > (int128) part.rows * high)
		dp_aggregate_refuse_part();
	return part;
}
