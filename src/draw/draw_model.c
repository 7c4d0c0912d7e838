/*
 * draw_model.c
 *	  Drawing a model by its losses.
 *
 * Their totals leave this file only through the mechanism that was paid for.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/memutils.h"

#include "aggregate/exact.h"
#include "base/injection.h"
#include "noise/selection.h"
#include "draw/draw_model.h"
#include "draw/exact_rows.h"

/* So many zeroes, aligned as palloc does not. */
static DpInt128 *
allocate_totals(int count)
{
	return (DpInt128 *) TYPEALIGN(sizeof(DpInt128), palloc0(((Size) count + 1) * sizeof(DpInt128)));
}

int64
dp_query_draw_model(DpReleaseState *state)
{
	const DpBlock *block = state->block;
	const DpNoise *noise = &block->release[0].noise[0];
	DpInt128   *loss = allocate_totals(block->size);
	TupleTableSlot *exact = dp_query_next_exact(state);
	int			column = block->release[0].column;

	if (exact && !exact->tts_isnull[column])
		dp_aggregate_read_totals(DatumGetByteaPP(exact->tts_values[column]), block->size, loss);
	while (exact)
		exact = dp_query_next_exact(state);
	DP_INJECTION_POINT("noise");
	return (int64) dp_noise_least((unsigned __int128 *) loss, block->size, 1, noise->scale_num, noise->scale_den);
}
