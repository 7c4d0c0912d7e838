/*
 * states.c
 *	  Serialised states of the exact aggregates, bounds and totals, in hostile
 *	  bytes.
 *
 * Bytes are refused with 22023 or are a state: then serialising gives the same
 * bytes, its totals lie within its bounds, and whatever is computed from it
 * does too.  The server's functions that this needs are made here.
 */
#include "postgres.h"

#include <setjmp.h>

#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/memutils.h"

#include "input.h"

#include "aggregate/cells.h"
#include "aggregate/exact.h"
#include "aggregate/state.h"

#define MAX_CHUNKS 64
#define MAX_ROWS (INT64CONST(1) << 61)

extern Datum dp_aggregate_exact_combine(PG_FUNCTION_ARGS);
extern Datum dp_aggregate_exact_serialize(PG_FUNCTION_ARGS);
extern Datum dp_aggregate_exact_deserialize(PG_FUNCTION_ARGS);
extern Datum dp_aggregate_cells_combine(PG_FUNCTION_ARGS);
extern Datum dp_aggregate_cells_serialize(PG_FUNCTION_ARGS);
extern Datum dp_aggregate_cells_deserialize(PG_FUNCTION_ARGS);

/* The server's: memory that ends with the input, errors that jump. */
MemoryContext CurrentMemoryContext = NULL;
static void *chunks[MAX_CHUNKS];
static int	nchunks;
static int	sqlstate;
static jmp_buf raised;

void *
palloc(Size size)
{
	CLAIM(nchunks < MAX_CHUNKS);
	return chunks[nchunks++] = malloc(size);
}

void *
MemoryContextAlloc(MemoryContext context, Size size)
{
	return palloc(size);
}

void *
MemoryContextAllocZero(MemoryContext context, Size size)
{
	return memset(palloc(size), 0, size);
}

/* Freed with the input, like everything else. */
void
pfree(void *pointer)
{
}

/* The server's sort, which its headers put in place of the library's. */
void
pg_qsort(void *base, size_t count, size_t size, int (*compare) (const void *, const void *))
{
#undef qsort
	qsort(base, count, size, compare);
}

int
AggCheckCallContext(FunctionCallInfo fcinfo, MemoryContext *context)
{
	*context = NULL;
	return AGG_CONTEXT_AGGREGATE;
}

struct varlena *
pg_detoast_datum_packed(struct varlena *datum)
{
	return datum;
}

bool
errstart(int level, const char *domain)
{
	return true;
}

bool
errstart_cold(int level, const char *domain)
{
	return true;
}

int
errcode(int code)
{
	sqlstate = code;
	return 0;
}

int
errmsg(const char *format,...)
{
	return 0;
}

int
errmsg_internal(const char *format,...)
{
	return 0;
}

void
errfinish(const char *file, int line, const char *function)
{
	longjmp(raised, 1);
}

/* Call with two arguments, either of which may be missing. */
static Datum
call(PGFunction function, Datum first, bool first_null, Datum second, bool second_null)
{
	static FmgrInfo info;

	LOCAL_FCINFO(fcinfo, 2);

	InitFunctionCallInfoData(*fcinfo, &info, 2, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = first;
	fcinfo->args[0].isnull = first_null;
	fcinfo->args[1].value = second;
	fcinfo->args[1].isnull = second_null;
	info.fn_extra = NULL;
	return function(fcinfo);
}

/* Bytes of the input as a bytea of just that size, on the heap. */
static bytea *
take_bytea(Input *input, Size size)
{
	bytea	   *value = palloc(VARHDRSZ + size);

	SET_VARSIZE(value, VARHDRSZ + size);
	take(input, VARDATA(value), size);
	return value;
}

static bool
same_bytes(const bytea *a, const bytea *b)
{
	return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
		memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

/* The rows of a state lie within its limits. */
static void
check_rows(const DpExactState *state)
{
	const DpExactBounds *bounds = state->bounds;

	CLAIM(state->rows >= 0 && state->total >= (int128) state->rows * bounds->low &&
		  state->total <= (int128) state->rows * bounds->high);
}

static void
check_states(Input *input)
{
	Size		size = take_word(input) % 8 == 0 ? take_word(input) % 100 : 64;
	bytea	   *bytes = take_bytea(input, size);
	Datum		state = call(dp_aggregate_exact_deserialize, PointerGetDatum(bytes), false, 0, true);
	Datum		other = call(dp_aggregate_exact_deserialize, PointerGetDatum(bytes), false, 0, true);
	bytea	   *again = DatumGetByteaPP(call(dp_aggregate_exact_serialize, state, false, 0, true));
	bytea	   *twice;

	/* A flag that is neither 0 nor 1 comes back as 1. */
	twice = DatumGetByteaPP(call(dp_aggregate_exact_serialize,
								 call(dp_aggregate_exact_deserialize, PointerGetDatum(again), false, 0, true),
								 false, 0, true));
	CLAIM(same_bytes(again, twice));
	check_rows((DpExactState *) DatumGetPointer(state));

	/* No table has so many rows that their number overflows. */
	if (((DpExactState *) DatumGetPointer(state))->rows > MAX_ROWS ||
		((DpExactState *) DatumGetPointer(state))->skipped > MAX_ROWS)
		return;
	call(dp_aggregate_exact_combine, state, false, other, false);
	call(dp_aggregate_exact_combine, 0, true, state, false);
	check_rows((DpExactState *) DatumGetPointer(state));
}

/* Totals are read if they are as many as there should be, and come back as they were. */
static void
check_totals(Input *input)
{
	Size		size = take_word(input) % 8 == 0 ? take_word(input) % 100 : 36;
	bytea	   *bytes = take_bytea(input, size);
	__int128	totals[2];
	bytea	   *again;

	dp_aggregate_read_totals(bytes, lengthof(totals), totals);
	again = dp_aggregate_make_totals(lengthof(totals), totals);
	CLAIM(VARSIZE_ANY_EXHDR(again) == size);
	CLAIM(memcmp(VARDATA_ANY(again) + 4, VARDATA_ANY(bytes) + 4, size - 4) == 0);
}

/*
 * Bytes as a summary: a header of few cells, entries in order more
 * often than not.
 */
static void
check_cells(Input *input)
{
	Size		entries = take_word(input) % 20;
	bytea	   *bytes = take_bytea(input, sizeof(DpCellsHeader) + entries * DP_CELL_ENTRY +
								   (take_word(input) % 8 == 0));
	uint32		shape[2] = {1 + take_word(input) % (take_word(input) % 2 ? 64 : DP_MAX_CELLS), 0};
	uint32		cell = 0;
	DpCells		cells;
	Datum		state;
	Datum		total;
	bytea	   *again;

	if (take_word(input) % 8)
		memcpy(VARDATA(bytes), shape, sizeof(shape));
	for (Size i = 0; i < entries && take_word(input) % 32; i++)
	{
		char	   *entry = VARDATA(bytes) + sizeof(DpCellsHeader) + i * DP_CELL_ENTRY;

		cell += take_word(input) % 3;
		memcpy(entry, &cell, sizeof(cell));
		if (take_word(input) % 4)
			memset(entry + 2 * sizeof(uint32), 0, sizeof(uint32));
	}
	dp_aggregate_read_cells(bytes, &cells);
	state = call(dp_aggregate_cells_deserialize, PointerGetDatum(bytes), false, 0, true);
	again = DatumGetByteaPP(call(dp_aggregate_cells_serialize, state, false, 0, true));
	CLAIM(VARSIZE_ANY_EXHDR(again) == VARSIZE_ANY_EXHDR(bytes));
	CLAIM(memcmp(VARDATA_ANY(again), VARDATA_ANY(bytes), sizeof(uint32)) == 0 &&
		  memcmp(VARDATA_ANY(again) + sizeof(DpCellsHeader), VARDATA_ANY(bytes) + sizeof(DpCellsHeader),
				 entries * DP_CELL_ENTRY) == 0);

	/* Tables have no more rows than that. */
	if (cells.total > MAX_ROWS)
		return;
	total = call(dp_aggregate_cells_deserialize, PointerGetDatum(bytes), false, 0, true);
	call(dp_aggregate_cells_combine, total, false, state, false);
	again = DatumGetByteaPP(call(dp_aggregate_cells_serialize, total, false, 0, true));
	dp_aggregate_read_cells(again, &cells);
	CLAIM(cells.entries == entries);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};

	sqlstate = 0;
	if (setjmp(raised) == 0)
	{
		if (take_word(&input) % 4 == 0)
			check_cells(&input);
		else if (take_word(&input) % 4)
			check_states(&input);
		else
			check_totals(&input);
	}
	else
		CLAIM(sqlstate == ERRCODE_INVALID_PARAMETER_VALUE);
	while (nchunks > 0)
		free(chunks[--nchunks]);
	return 0;
}
