/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_synthesis.c
 *	  Synthetic rows of exact tables.
 *
 * Exact tables are read by the three draws that were paid for (models/synthesis.h), in their order, and
 * rows are made of what these gave.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "asking/synthetic_values.h"
#include "base/compat_varlena.h"
#include "base/injection.h"
#include "draw/exact_rows.h"
#include "draw/release_state.h"
#include "draw/release_synthesis.h"
#include "models/synthesis.h"
#include "models/synthesis_rows.h"
#include "models/synthesis_tables.h"
#include "pricing/block.h"

static void *
allocate(size_t size)
{
	return MemoryContextAllocExtended(CurrentMemoryContext, Max(size, 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

static void
breathe(void)
{
	CHECK_FOR_INTERRUPTS();
}

static const DpSynthesisHost host = {.allocate = allocate, .breathe = breathe};

/* The exact tables: all zero without rows. */
static int64 *
read_tables(DpReleaseState *state)
{
	const DpBlock *block = state->block;
	int			column = block->release[0].column;
	int64		cells = dp_models_synthesis_table_cells(&block->synthetic.shape);
	int64	   *table = allocate(cells * sizeof(int64));
	TupleTableSlot *exact = dp_draw_next_exact(state);

	if (exact && !exact->tts_isnull[column])
	{
		const bytea *packed = DatumGetByteaPP(exact->tts_values[column]);
		const char *data = VARDATA_ANY(packed) + DP_TABLES_OFFSET - VARHDRSZ;

		if (VARSIZE_ANY_EXHDR(packed) != DP_TABLES_OFFSET - VARHDRSZ + cells * sizeof(int64))
			elog(ERROR, "tables of another size");
		for (int64 i = 0; i < cells; i += 65536)
		{
			CHECK_FOR_INTERRUPTS();
			memcpy(&table[i], data + i * sizeof(int64), Min(65536, cells - i) * sizeof(int64));
		}
	}
	while (exact)
		exact = dp_draw_next_exact(state);
	return table;
}

/* Draw all that was paid for. */
static DpSynthesis *
synthesize(const DpBlock *block, const int64 *tables)
{
	const DpRelease *release = &block->release[0];
	const DpSynthesisNoise noise = {
		.pair_sigma = release->noise[0].sigma,
		.margin_sigma = release->noise[1].sigma,
		.scale_num = release->choice.scale_num,
		.scale_den = release->choice.scale_den
	};
	DpSynthesis *synthesis = dp_models_synthesis_make(&host, &block->synthetic.shape, tables, &noise);

	dp_models_synthesis_margins(synthesis);
	dp_models_synthesis_draw_tree(synthesis);
	dp_models_synthesis_release(synthesis);
	dp_models_synthesis_fit(synthesis);
	return synthesis;
}

void
dp_draw_release_synthesis(DpReleaseState *state, TupleTableSlot *result)
{
	const DpBlock *block = state->block;
	const DpSyntheticColumns *columns = &block->synthetic;
	int64	   *tables = read_tables(state);
	bytea	   *row = dp_asking_make_synthetic_row(columns);
	int32		cell[DP_SYNTHESIS_MOST_COLUMNS];
	DpSynthesis *synthesis;
	DpSynthesisRows *rows;
	int64		n;

	DP_INJECTION_POINT("noise");
	synthesis = synthesize(block, tables);
	n = block->size > 0 ? block->size : dp_models_synthesis_row_count(synthesis);
	rows = dp_models_synthesis_start(synthesis, n);
	for (int64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		dp_models_synthesis_next(rows, cell);
		dp_asking_set_synthetic_row(row, columns, cell);
		ExecClearTuple(result);
		result->tts_values[block->release[0].column] = PointerGetDatum(row);
		result->tts_isnull[block->release[0].column] = false;
		ExecStoreVirtualTuple(result);
		tuplestore_puttupleslot(state->store, result);
	}
}
