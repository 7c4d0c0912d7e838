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

#include "budget/update.h"
#include "compat.h"

/* The primary key among the table's open indexes; -1 if there is none. */
static int
key_index(ResultRelInfo *table)
{
	Oid			key = dp_compat_primary_key(table->ri_RelationDesc);

	for (int i = 0; i < table->ri_NumIndices; i++)
		if (table->ri_IndexRelationDescs[i] != NULL &&
			RelationGetRelid(table->ri_IndexRelationDescs[i]) == key)
			return i;
	return -1;
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

/* Enter a version in the index of the key. */
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
	int			key = key_index(table);

	/* The executor leaves an index alone that is not ready. */
	if (key >= 0)
		table->ri_IndexRelationInfo[key]->ii_ReadyForInserts = false;
	ExecSimpleRelationUpdate(table, estate, NULL, found, changed);
	if (key < 0)
		return;
	table->ri_IndexRelationInfo[key]->ii_ReadyForInserts = true;
	if (!is_heap_only(table->ri_RelationDesc, &changed->tts_tid))
		enter(table, key, estate, changed);
}
