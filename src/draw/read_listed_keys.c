/* SPDX-License-Identifier: PostgreSQL */
/*
 * read_listed_keys.c
 *	  Reading the keys that public tables list.
 *
 * All are read, in order, before the statement is charged: what they are is
 * settled before a protected row is read, under the statement's own snapshot,
 * and too many of them cost nothing.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/sortsupport.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "base/compat_varlena.h"
#include "draw/read_listed_keys.h"
#include "draw/run_plan.h"
#include "kept/packed_rows.h"
#include "rewrite/finite_keys.h"

struct DpKeys
{
	Tuplestorestate *store;
	TupleTableSlot *slot;		/* the current key, deformed */
	int			ncolumns;
	SortSupport order;			/* of each column */
	MemoryContext context;		/* for one comparison */
};

/* The order in which the plan returns keys, and the exact plan its groups. */
static SortSupport
make_order(TupleDesc desc)
{
	SortSupport order = palloc0(desc->natts * sizeof(SortSupportData));

	for (int i = 0; i < desc->natts; i++)
	{
		TypeCacheEntry *type = lookup_type_cache(TupleDescAttr(desc, i)->atttypid,
												 TYPECACHE_LT_OPR);

		order[i].ssup_cxt = CurrentMemoryContext;
		order[i].ssup_collation = TupleDescAttr(desc, i)->attcollation;
		PrepareSortSupportFromOrderingOp(type->lt_opr, &order[i]);
	}
	return order;
}

/*
 * Keep a key, with all values in it: a TOASTed one would be fetched anew for each
 * comparison with an exact row, if there is one, and that shows in the buffers.
 */
static void
keep_key(DpKeys *keys, TupleTableSlot *key, TupleTableSlot *whole)
{
	TupleDesc	desc = whole->tts_tupleDescriptor;
	MemoryContext old = MemoryContextSwitchTo(keys->context);

	ExecClearTuple(whole);
	slot_getallattrs(key);
	for (int i = 0; i < desc->natts; i++)
	{
		Datum		value = key->tts_values[i];

		if (!key->tts_isnull[i] && TupleDescAttr(desc, i)->attlen == -1 &&
			VARATT_IS_EXTERNAL(DatumGetPointer(value)))
			value = PointerGetDatum(detoast_external_attr((struct varlena *) DatumGetPointer(value)));
		whole->tts_values[i] = value;
		whole->tts_isnull[i] = key->tts_isnull[i];
	}
	ExecStoreVirtualTuple(whole);
	tuplestore_puttupleslot(keys->store, whole);
	MemoryContextSwitchTo(old);
	MemoryContextReset(keys->context);
}

static void
read_rows(PlanState *plan, void *arg)
{
	DpKeys	   *keys = arg;
	TupleDesc	desc = CreateTupleDescCopy(ExecGetResultType(plan));
	TupleTableSlot *whole = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	int			count = 0;

	keys->store = tuplestore_begin_heap(false, false, work_mem);
	keys->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	keys->ncolumns = desc->natts;
	keys->order = make_order(desc);
	keys->context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg keys",
										  ALLOCSET_SMALL_SIZES);
	for (;;)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		slot = dp_draw_next_row(plan);
		if (slot == NULL)
			break;
		if (++count > DP_MOST_KEYS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("public tables list more than %d keys", DP_MOST_KEYS),
					 errdetail("Every key is answered, with noise of its own."),
					 errhint("Add conditions on the public tables.")));
		keep_key(keys, slot, whole);
	}
	ExecDropSingleTupleTableSlot(whole);
}

DpKeys *
dp_draw_read_keys(PlannedStmt *plan, const EState *estate)
{
	DpKeys	   *keys = palloc0(sizeof(DpKeys));

	dp_draw_run_public(plan, estate, read_rows, keys);
	return keys;
}

int64
dp_draw_count_keys(const DpKeys *keys)
{
	return tuplestore_tuple_count(keys->store);
}

bytea *
dp_draw_pack_keys(DpKeys *keys)
{
	List	   *order = NIL;
	int			rows;

	for (int i = 0; i < keys->ncolumns; i++)
		order = lappend_int(order, i);
	return dp_kept_pack_rows(keys->store, keys->slot, order, &rows);
}

bool
dp_draw_next_key(DpKeys *keys)
{
	if (!tuplestore_gettupleslot(keys->store, true, false, keys->slot))
		return false;
	slot_getallattrs(keys->slot);
	return true;
}

TupleTableSlot *
dp_draw_current_key(const DpKeys *keys)
{
	return keys->slot;
}

int
dp_draw_compare_key(DpKeys *keys, TupleTableSlot *exact)
{
	MemoryContext old = MemoryContextSwitchTo(keys->context);
	int			order = 0;

	for (int i = 0; i < keys->ncolumns && order == 0; i++)
		order = ApplySortComparator(keys->slot->tts_values[i], keys->slot->tts_isnull[i],
									exact->tts_values[i], exact->tts_isnull[i], &keys->order[i]);
	MemoryContextSwitchTo(old);
	MemoryContextReset(keys->context);
	return order;
}

void
dp_draw_end_keys(DpKeys *keys)
{
	ExecDropSingleTupleTableSlot(keys->slot);
	tuplestore_end(keys->store);
}
