/* SPDX-License-Identifier: PostgreSQL */
/*
 * listed_cells.c
 *	  Groups whose keys public tables list; see listed_cells.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/hsearch.h"

#include "base/compat_catalog.h"
#include "base/compat_varlena.h"
#include "budget/rows/chain.h"
#include "kept/listed_cells.h"
#include "kept/packed_rows.h"

/* A value that has a number. */
typedef struct Numbered
{
	uint8		digest[DP_CHAIN_BYTES]; /* hash key */
	int			number;
} Numbered;

static HTAB *
new_numbers(void)
{
	HASHCTL		control = {.keysize = DP_CHAIN_BYTES, .entrysize = sizeof(Numbered), .hcxt = CurrentMemoryContext};

	return hash_create("dp_agg listed values", 128, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/* The entry of a value's bytes, or of NULL. */
static Numbered *
find_number(HTAB *numbers, Datum value, bool null, HASHACTION action, bool *found)
{
	StringInfoData text;
	uint8		digest[DP_CHAIN_BYTES];
	Numbered   *entry;

	initStringInfo(&text);
	pq_sendbyte(&text, null);
	if (!null)
		appendBinaryStringInfo(&text, VARDATA_ANY(DatumGetPointer(value)), VARSIZE_ANY_EXHDR(DatumGetPointer(value)));
	dp_budget_chain_sha256(&text, digest);
	pfree(text.data);
	entry = hash_search(numbers, digest, action, found);
	return entry;
}

/* The number of a group's value among those of its key, where it is entered if it is new. */
static int
enter_value(DpListedKey *key, HTAB *numbers, Datum value, bool null)
{
	bool		found;
	Numbered   *entry = find_number(numbers, value, null, HASH_ENTER, &found);

	if (!found)
	{
		entry->number = list_length(key->values);
		key->values = lappend(key->values, makeConst(BYTEAOID, -1, InvalidOid, -1,
													 null ? (Datum) 0 : datumCopy(value, false, -1), null, false));
	}
	return entry->number;
}

/* Columns of bytes, whatever they are. */
static TupleDesc
columns_of_bytes(int columns, List **order)
{
	TupleDesc	desc = CreateTemplateTupleDesc(columns);

	*order = NIL;
	for (int i = 0; i < columns; i++)
	{
		TupleDescInitEntry(desc, i + 1, "bytes", BYTEAOID, -1, 0);
		*order = lappend_int(*order, i);
	}
	return dp_compat_described(desc);
}

DpListedCells *
dp_kept_read_listed(bytea *packed, int columns, int nkeys)
{
	DpListedCells *cells = palloc0(sizeof(DpListedCells));
	HTAB	  **numbers = palloc(nkeys * sizeof(HTAB *));
	Datum	   *values = palloc(columns * sizeof(Datum));
	bool	   *nulls = palloc(columns * sizeof(bool));
	int			room = 128;
	List	   *order;
	TupleDesc	desc = columns_of_bytes(columns, &order);
	DpPackedRows *rows = dp_kept_open_packed(packed, desc, order);

	cells->nkeys = nkeys;
	cells->key = palloc0(nkeys * sizeof(DpListedKey));
	for (int i = 0; i < nkeys; i++)
	{
		numbers[i] = new_numbers();
		cells->key[i].place = palloc(room * sizeof(int));
	}
	for (; dp_kept_next_packed(rows, values, nulls); cells->groups++)
	{
		CHECK_FOR_INTERRUPTS();
		if (cells->groups == room)
			room *= 2;
		for (int i = 0; i < nkeys; i++)
		{
			DpListedKey *key = &cells->key[i];

			key->place = repalloc(key->place, room * sizeof(int));
			key->place[cells->groups] = enter_value(key, numbers[i], values[i], nulls[i]);
		}
	}
	for (int i = 0; i < nkeys; i++)
		hash_destroy(numbers[i]);
	return cells;
}

int *
dp_kept_places_among(List *values, List *others)
{
	HTAB	   *numbers = new_numbers();
	int		   *place = palloc(Max(list_length(values), 1) * sizeof(int));
	bool		found;
	ListCell   *lc;

	foreach(lc, others)
	{
		const Const *other = lfirst_node(Const, lc);

		find_number(numbers, other->constvalue, other->constisnull, HASH_ENTER, &found)->number =
			foreach_current_index(lc);
	}
	foreach(lc, values)
	{
		const Const *value = lfirst_node(Const, lc);
		const Numbered *entry = find_number(numbers, value->constvalue, value->constisnull, HASH_FIND, &found);

		place[foreach_current_index(lc)] = entry ? entry->number : -1;
	}
	hash_destroy(numbers);
	return place;
}
