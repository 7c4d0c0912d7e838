/* SPDX-License-Identifier: PostgreSQL */
/*
 * pair_tables.c
 *	  The two-way tables of all pairs of columns, of all rows.
 *
 * Cells are numbered from 1; what has no number, or one that is not the column's, is in its last
 * cell, so that every row is in one cell of each column, whatever is declared of it.  A state is as large as the tables, which the statement tells, at most 32 MB; numbers add up in any
 * order, so those of parallel workers are added.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "base/compat_varlena.h"
#include "exact/pair_tables.h"
#include "models/synthesis_tables.h"
#include "pricing/release.h"
#include "tree/make_nodes.h"

PG_FUNCTION_INFO_V1(dp_exact_add_to_tables);
PG_FUNCTION_INFO_V1(dp_exact_combine_tables);
PG_FUNCTION_INFO_V1(dp_exact_serialize_tables);
PG_FUNCTION_INFO_V1(dp_exact_deserialize_tables);
PG_FUNCTION_INFO_V1(dp_exact_exact_tables);

/* Cells that are copied or added between two checks for interrupts. */
#define STRIDE 65536

/* Arguments of the transition before the cells: state, spec, rows. */
#define FIRST_CELL 3

/* Parameters of a state. */
typedef struct TablesSpec
{
	DpSynthesisShape shape;
	int32		max_rows;		/* of a unit, which it counts as at most */
} TablesSpec;

typedef struct TablesState
{
	TablesSpec	spec;
	int64		cells;			/* of all tables */
	int64		table[FLEXIBLE_ARRAY_MEMBER];
} TablesState;

/* Refuse a call that the rewriter did not write. */
static void
refuse(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("malformed %s", what)));
}

/* The memory of the aggregate; an error outside one. */
static MemoryContext
context_of(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		refuse("call of an aggregate's function");
	return context;
}

static TablesState *
make_state(MemoryContext context, const TablesSpec *spec)
{
	int64		cells = dp_models_synthesis_table_cells(&spec->shape);
	TablesState *state;

	if (cells == 0 || spec->max_rows < 1)
		refuse("shape of tables");
	state = MemoryContextAllocZero(context, offsetof(TablesState, table) + cells * sizeof(int64));
	state->spec = *spec;
	state->cells = cells;
	return state;
}

/* A state without rows, of the shape in argument 1. */
static TablesState *
begin(FunctionCallInfo fcinfo)
{
	TablesSpec	spec;
	const bytea *packed;

	if (PG_ARGISNULL(1))
		refuse("shape of tables");
	packed = PG_GETARG_BYTEA_PP(1);
	if (VARSIZE_ANY_EXHDR(packed) != sizeof(spec))
		refuse("shape of tables");
	memcpy(&spec, VARDATA_ANY(packed), sizeof(spec));
	return make_state(context_of(fcinfo), &spec);
}

/* Are the arguments behind the rows so many, and integers?  They are whenever the rewriter wrote the call. */
static void
check_cells(FunctionCallInfo fcinfo, const DpSynthesisShape *shape)
{
	if (PG_NARGS() != shape->columns + FIRST_CELL)
		refuse("cells of a row");
	for (int i = FIRST_CELL; i < PG_NARGS(); i++)
		if (get_fn_expr_argtype(fcinfo->flinfo, i) != INT4OID)
			refuse("cells of a row");
}

/* add_to_tables(state, spec bytea, rows bigint, cell int4, ...): count a row, whose unit has so many. */
Datum
dp_exact_add_to_tables(PG_FUNCTION_ARGS)
{
	TablesState *state = PG_ARGISNULL(0) ? NULL : (TablesState *) PG_GETARG_POINTER(0);
	int64		rows = PG_ARGISNULL(2) ? 0 : PG_GETARG_INT64(2);
	int32		cell[DP_SYNTHESIS_MOST_COLUMNS];

	if (state == NULL)
	{
		state = begin(fcinfo);
		check_cells(fcinfo, &state->spec.shape);
	}
	if (rows < 1)
		refuse("number of rows");
	Assert(state->spec.shape.columns >= 2);
	for (int i = 0; i < state->spec.shape.columns; i++)
	{
		int32		cells = state->spec.shape.cells[i];
		int32		place = PG_ARGISNULL(i + FIRST_CELL) ? 0 : PG_GETARG_INT32(i + FIRST_CELL);

		cell[i] = (place >= 1 && place <= cells ? place : cells) - 1;
	}
	dp_models_synthesis_add(state->table, &state->spec.shape, cell, dp_models_weight(state->spec.max_rows, DP_SYNTHESIS_WEIGHT_BITS, rows));
	PG_RETURN_POINTER(state);
}

/* Add tables to those of a state. */
static void
add_tables(TablesState *state, const int64 *table)
{
	for (int64 i = 0; i < state->cells; i++)
	{
		if (i % STRIDE == 0)
			CHECK_FOR_INTERRUPTS();
		state->table[i] = dp_models_synthesis_plus(state->table[i], table[i]);
	}
}

Datum
dp_exact_combine_tables(PG_FUNCTION_ARGS)
{
	MemoryContext context = context_of(fcinfo);
	TablesState *state = PG_ARGISNULL(0) ? NULL : (TablesState *) PG_GETARG_POINTER(0);
	const TablesState *other = PG_ARGISNULL(1) ? NULL : (TablesState *) PG_GETARG_POINTER(1);

	if (other == NULL)
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	if (state == NULL)
		state = make_state(context, &other->spec);
	if (memcmp(&state->spec, &other->spec, sizeof(state->spec)) != 0)
		refuse("state over tables");
	add_tables(state, other->table);
	PG_RETURN_POINTER(state);
}

/* The tables of a state as a bytea, behind so many bytes. */
static bytea *
pack(const TablesState *state, Size before)
{
	Size		size = before + state->cells * sizeof(int64);
	bytea	   *packed = palloc(size);

	SET_VARSIZE(packed, size);
	memset(VARDATA(packed), 0, before - VARHDRSZ);
	for (int64 i = 0; i < state->cells; i += STRIDE)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy((char *) packed + before + i * sizeof(int64), &state->table[i],
			   Min(STRIDE, state->cells - i) * sizeof(int64));
	}
	return packed;
}

Datum
dp_exact_serialize_tables(PG_FUNCTION_ARGS)
{
	const TablesState *state;
	bytea	   *packed;

	(void) context_of(fcinfo);
	state = (TablesState *) PG_GETARG_POINTER(0);
	packed = pack(state, VARHDRSZ + sizeof(TablesSpec));
	memcpy(VARDATA(packed), &state->spec, sizeof(TablesSpec));
	PG_RETURN_BYTEA_P(packed);
}

Datum
dp_exact_deserialize_tables(PG_FUNCTION_ARGS)
{
	const bytea *packed = PG_GETARG_BYTEA_PP(0);
	TablesSpec	spec;
	TablesState *state;

	(void) context_of(fcinfo);
	if (VARSIZE_ANY_EXHDR(packed) < sizeof(spec))
		refuse("state over tables");
	memcpy(&spec, VARDATA_ANY(packed), sizeof(spec));
	state = make_state(CurrentMemoryContext, &spec);
	if (VARSIZE_ANY_EXHDR(packed) != sizeof(spec) + state->cells * sizeof(int64))
		refuse("state over tables");
	for (int64 i = 0; i < state->cells; i += STRIDE)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy(&state->table[i], VARDATA_ANY(packed) + sizeof(spec) + i * sizeof(int64),
			   Min(STRIDE, state->cells - i) * sizeof(int64));
	}
	PG_RETURN_POINTER(state);
}

Datum
dp_exact_exact_tables(PG_FUNCTION_ARGS)
{
	(void) context_of(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(pack((TablesState *) PG_GETARG_POINTER(0), DP_TABLES_OFFSET));
}

Node *
dp_exact_exact_pair_tables(const DpMeasure *measure, Node *rows, List *cells)
{
	struct
	{
		int32		vl_len_;
		TablesSpec	spec;
	}			packed = {.spec = {.shape = measure->synthetic->shape, .max_rows = measure->most_rows}};

	return (Node *) dp_tree_make_variadic_aggregate("exact_pair_tables",
													lcons(dp_tree_make_bytea(&packed, sizeof(packed)), lcons(rows, cells)),
													FIRST_CELL - 1, BYTEAOID);
}

List *
dp_exact_cells_of(const DpMeasure *measure)
{
	return copyObject(castNode(ArrayExpr, measure->value)->elements);
}
