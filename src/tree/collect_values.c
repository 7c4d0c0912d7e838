/* SPDX-License-Identifier: PostgreSQL */
/*
 * collect_values.c
 *	  Values of a column of public rows, gathered as the array that they become.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "base/compat_varlena.h"
#include "tree/collect_values.h"

/* Room for the first values. */
#define FIRST_ROOM 1024

/* Least size that a value counts as, a NULL too. */
#define LEAST_SIZE sizeof(int32)

void
dp_tree_begin_collected(DpCollected *values, Oid type)
{
	memset(values, 0, sizeof(DpCollected));
	values->type = type;
	get_typlenbyvalalign(type, &values->length, &values->byval, &values->align);
}

/* A piece of memory that has at least so many bytes, the first of them as they were. */
static void *
enlarged(void *old, Size had, Size size, MemoryContext context)
{
	if (old == NULL)
		return MemoryContextAllocZero(context, size);
	old = repalloc_huge(old, size);
	memset((char *) old + had, 0, size - had);
	return old;
}

/* Have room for so many bytes more. */
static void
make_room(DpCollected *values, Size more, MemoryContext context)
{
	Size		room = Max(values->room, FIRST_ROOM);

	while (room < values->size + more)
		room *= 2;
	if (room > values->room)
		values->data = enlarged(values->data, values->room, room, context);
	values->room = room;
}

/* Note whether the next value is there. */
static void
note_null(DpCollected *values, bool isnull, MemoryContext context)
{
	int			byte = values->count / BITS_PER_BYTE;

	if (values->count % (FIRST_ROOM * BITS_PER_BYTE) == 0)
		values->there = enlarged(values->there, byte, byte + FIRST_ROOM, context);
	if (!isnull)
		values->there[byte] |= 1 << (values->count % BITS_PER_BYTE);
	values->has_null |= isnull;
	values->count++;
}

Size
dp_tree_collect(DpCollected *values, Datum value, bool isnull, MemoryContext context)
{
	struct varlena *whole = NULL;
	Size		before = values->size;
	Size		end;

	note_null(values, isnull, context);
	if (isnull)
		return LEAST_SIZE;
	if (values->length == -1)
	{
		whole = PG_DETOAST_DATUM(value);
		value = PointerGetDatum(whole);
	}
	end = att_addlength_datum(before, values->length, value);
	end = att_align_nominal(end, values->align);
	make_room(values, end - before, context);
	if (values->byval)
		store_att_byval(values->data + before, value, values->length);
	else
		memcpy(values->data + before, DatumGetPointer(value), att_addlength_datum(0, values->length, value));
	values->size = end;
	return Max(end - before, LEAST_SIZE);
}

Datum
dp_tree_end_collected(DpCollected *values)
{
	Size		header = values->has_null ? ARR_OVERHEAD_WITHNULLS(1, values->count) : ARR_OVERHEAD_NONULLS(1);
	ArrayType  *array;
	uint8	   *there;

	if (values->count == 0)
		return PointerGetDatum(construct_empty_array(values->type));
	array = palloc0(header + values->size);
	SET_VARSIZE(array, header + values->size);
	array->ndim = 1;
	array->dataoffset = values->has_null ? header : 0;
	array->elemtype = values->type;
	ARR_DIMS(array)[0] = values->count;
	ARR_LBOUND(array)[0] = 1;
	there = ARR_NULLBITMAP(array);
	if (there)
		memcpy(there, values->there, (values->count + BITS_PER_BYTE - 1) / BITS_PER_BYTE);
	memcpy(ARR_DATA_PTR(array), values->data, values->size);
	if (values->data)
		pfree(values->data);
	pfree(values->there);
	return PointerGetDatum(array);
}
