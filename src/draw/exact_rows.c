/* SPDX-License-Identifier: PostgreSQL */
/*
 * exact_rows.c
 *	  Rows of a running exact plan.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "fmgr.h"

#include "base/injection.h"
#include "draw/exact_rows.h"
#include "draw/release_state.h"
#include "draw/run_plan.h"
#include "expression/allow_list.h"
#include "pricing/block.h"

TupleTableSlot *
dp_draw_next_exact(DpReleaseState *state)
{
	DP_INJECTION_POINT("exact");
	return dp_draw_next_row(state->child);
}

void
dp_draw_release_keys(const DpBlock *block, TupleTableSlot *keys, int n, TupleTableSlot *result)
{
	if (keys == NULL && block->nkeys > 0)
	{
		result->tts_values[0] = Int32GetDatum(n);
		result->tts_isnull[0] = false;
	}
	for (int i = 0; keys != NULL && i < block->nkeys; i++)
	{
		Datum		key = keys->tts_values[i];
		bool		packed = TupleDescAttr(result->tts_tupleDescriptor, i)->attlen == -1;

		result->tts_isnull[i] = keys->tts_isnull[i];
		if (keys->tts_isnull[i])
			continue;
		if (packed && toast_raw_datum_size(key) > DP_MAX_VALUE_SIZE)
			result->tts_isnull[i] = true;
		else
			result->tts_values[i] = packed ? PointerGetDatum(PG_DETOAST_DATUM_PACKED(key)) : key;
	}
}
