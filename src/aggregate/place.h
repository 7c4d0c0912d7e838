/* SPDX-License-Identifier: PostgreSQL */
/*
 * place.h
 *	  The place of a value of any type on the grid, see grid.h.
 */
#ifndef DP_AGGREGATE_PLACE_H
#define DP_AGGREGATE_PLACE_H

#include "postgres.h"

#include "fmgr.h"

#include "aggregate/grid.h"
#include "base/compat_varlena.h"

/* How a value is read: a date as an integer, a timestamp as a bigint. */
typedef enum DpValueType
{
	DP_VALUE_SMALLINT,
	DP_VALUE_INTEGER,
	DP_VALUE_BIGINT,
	DP_VALUE_NUMERIC,
	DP_VALUE_REAL,
	DP_VALUE_DOUBLE
} DpValueType;

/*
 * Place of any value; DP_GRID_NONE for NaN only.  May allocate in the current
 * memory context.
 */
extern int64 dp_aggregate_any_place(Datum value, DpValueType type, int grid);

/* The type of value an OID stands for; an error if it is none of these. */
extern DpValueType dp_aggregate_value_type(Oid type);

/*
 * Is an argument of a call a constant of the plan?  A variable of PL/pgSQL is called
 * stable, too, though it changes, and a call that keeps what it made of one keeps that.
 */
extern bool dp_aggregate_is_constant(const FmgrInfo *call, int argument);

/* Place of a numeric as it lies in a tuple or in memory, or DP_GRID_NONE. */
static pg_attribute_always_inline int64
dp_aggregate_quick_numeric(const struct varlena *value, const DpGrid *grid)
{
	const uint8 *data = (const uint8 *) VARDATA_SHORT(value);
	uint32		length = VARSIZE_SHORT(value) - VARHDRSZ_SHORT;

	if (unlikely(!VARATT_IS_SHORT(value)))
	{
		if (!VARATT_IS_4B_U(value))
			return DP_GRID_NONE;
		data = (const uint8 *) VARDATA(value);
		length = VARSIZE(value) - VARHDRSZ;
	}
	else if (unlikely(VARATT_IS_EXTERNAL(value)))
		return DP_GRID_NONE;
	return dp_aggregate_grid_quick_numeric(data, length, grid);
}

/* Place of a value where no call is needed, or DP_GRID_NONE. */
static pg_attribute_always_inline int64
dp_aggregate_quick_place(Datum value, DpValueType type, const DpGrid *grid)
{
	switch (type)
	{
		case DP_VALUE_SMALLINT:
			return dp_aggregate_grid_quick_int32(DatumGetInt16(value), grid);
		case DP_VALUE_INTEGER:
			return dp_aggregate_grid_quick_int32(DatumGetInt32(value), grid);
		case DP_VALUE_BIGINT:
			return dp_aggregate_grid_quick_int64(DatumGetInt64(value), grid);
		case DP_VALUE_NUMERIC:
			return dp_aggregate_quick_numeric((const struct varlena *) DatumGetPointer(value), grid);
		case DP_VALUE_REAL:
			return dp_aggregate_grid_quick_double(DatumGetFloat4(value), grid);
		case DP_VALUE_DOUBLE:
			return dp_aggregate_grid_quick_double(DatumGetFloat8(value), grid);
	}
	pg_unreachable();
}

#endif							/* DP_AGGREGATE_PLACE_H */
