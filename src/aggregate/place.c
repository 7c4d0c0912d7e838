/* SPDX-License-Identifier: PostgreSQL */
/*
 * place.c
 *	  The place of a value on the grid: every type, every case.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/primnodes.h"
#include "utils/numeric.h"

#include "aggregate/place.h"
#include "base/compat_varlena.h"

int64
dp_aggregate_any_place(Datum value, DpValueType type, int grid)
{
	const struct varlena *bytes;

	switch (type)
	{
		case DP_VALUE_SMALLINT:
			return dp_aggregate_grid_integer(DatumGetInt16(value), grid);
		case DP_VALUE_INTEGER:
			return dp_aggregate_grid_integer(DatumGetInt32(value), grid);
		case DP_VALUE_BIGINT:
			return dp_aggregate_grid_integer(DatumGetInt64(value), grid);
		case DP_VALUE_NUMERIC:
			bytes = PG_DETOAST_DATUM_PACKED(value);
			return dp_aggregate_grid_numeric((const uint8 *) VARDATA_ANY(bytes),
											 VARSIZE_ANY_EXHDR(bytes), grid);
		case DP_VALUE_REAL:
			return dp_aggregate_grid_double(DatumGetFloat4(value), grid);
		case DP_VALUE_DOUBLE:
			return dp_aggregate_grid_double(DatumGetFloat8(value), grid);
	}
	pg_unreachable();
}

DpValueType
dp_aggregate_value_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return DP_VALUE_SMALLINT;
		case INT4OID:
		case DATEOID:
			return DP_VALUE_INTEGER;
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return DP_VALUE_BIGINT;
		case NUMERICOID:
			return DP_VALUE_NUMERIC;
		case FLOAT4OID:
			return DP_VALUE_REAL;
		case FLOAT8OID:
			return DP_VALUE_DOUBLE;
	}
	elog(ERROR, "unexpected type %u of a value", type);
}

bool
dp_aggregate_is_constant(const FmgrInfo *call, int argument)
{
	const FuncExpr *expr = (const FuncExpr *) call->fn_expr;

	return expr != NULL && IsA(expr, FuncExpr) && argument < list_length(expr->args) &&
		IsA(list_nth(expr->args, argument), Const);
}
