/*
 * update.c
 *	  Writing a new version of a row whose key stays as it is.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "catalog/index.h"
#include "executor/executor.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "budget/account/update.h"
#include "base/compat.h"

/* Is the row the same in all columns of an index, of which none is an expression? */
static bool
has_same(const IndexInfo *info, TupleTableSlot *found, TupleTableSlot *changed)
{
	for (int i = 0; i < info->ii_NumIndexKeyAttrs; i++)
	{
		AttrNumber	column = info->ii_IndexAttrNumbers[i];

		if (column <= 0 || slot_attisnull(found, column) || slot_attisnull(changed, column) ||
			found->tts_values[column - 1] != changed->tts_values[column - 1])
			return false;
	}
	return info->ii_Predicate == NIL;
}

/* The open indexes that nobody else can have the row's key in, as a set: see update.h. */
static Bitmapset *
own_keys(ResultRelInfo *table, TupleTableSlot *found, TupleTableSlot *changed)
{
	Oid			primary = dp_compat_primary_key(table->ri_RelationDesc);
	Bitmapset  *keys = NULL;

	for (int i = 0; i < table->ri_NumIndices; i++)
	{
		Relation	index = table->ri_IndexRelationDescs[i];

		if (index != NULL &&
			(RelationGetRelid(index) == primary ||
			 (index->rd_index->indisunique && has_same(table->ri_IndexRelationInfo[i], found, changed))))
			keys = bms_add_member(keys, i);
	}
	return keys;
}

/* Do indexes lead to a version by the one before it, on the same page? */
static bool
is_heap_only(Relation table, ItemPointer tid)
{
	Buffer		buffer = ReadBuffer(table, ItemPointerGetBlockNumber(tid));
	Page		page = BufferGetPage(buffer);
	bool		heap_only;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	heap_only = HeapTupleHeaderIsHeapOnly((HeapTupleHeader)
										  PageGetItem(page, PageGetItemId(page, ItemPointerGetOffsetNumber(tid))));
	UnlockReleaseBuffer(buffer);
	return heap_only;
}

/* Enter a version in the index of a key. */
static void
enter(ResultRelInfo *table, int key, EState *estate, TupleTableSlot *slot)
{
	IndexInfo  *info = table->ri_IndexRelationInfo[key];
	Datum		values[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];

	FormIndexDatum(info, slot, estate, values, nulls);
	(void) index_insert(table->ri_IndexRelationDescs[key], values, nulls, &slot->tts_tid,
						table->ri_RelationDesc, UNIQUE_CHECK_NO, true, info);
}

void
dp_budget_update_row(ResultRelInfo *table, EState *estate, TupleTableSlot *found,
					 TupleTableSlot *changed)
{
	Bitmapset  *keys = own_keys(table, found, changed);
	int			key = -1;

	/* The executor leaves an index alone that is not ready. */
	while ((key = bms_next_member(keys, key)) >= 0)
		table->ri_IndexRelationInfo[key]->ii_ReadyForInserts = false;
	ExecSimpleRelationUpdate(table, estate, NULL, found, changed);
	key = -1;
	while ((key = bms_next_member(keys, key)) >= 0)
		table->ri_IndexRelationInfo[key]->ii_ReadyForInserts = true;
	if (is_heap_only(table->ri_RelationDesc, &changed->tts_tid))
		return;
	key = -1;
	while ((key = bms_next_member(keys, key)) >= 0)
		enter(table, key, estate, changed);
}
