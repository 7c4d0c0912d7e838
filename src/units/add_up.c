/*
 * add_up.c
 *	  Adding up records of the same identity.
 */
#include "units/add_up.h"

#define LEAST_PLACES 64

void
dp_add_up_free(const DpUnitsMemory *memory, DpLogScratch *scratch)
{
	if (scratch->record)
		memory->release(memory->context, scratch->record, scratch->size);
	if (scratch->place)
		memory->release(memory->context, scratch->place, scratch->places * sizeof(uint32_t));
	memset(scratch, 0, sizeof(DpLogScratch));
}

/* See to so much room. */
static void
reserve(const DpUnitsMemory *memory, DpLogScratch *scratch, size_t size, uint32_t places)
{
	if (scratch->size >= size && scratch->places >= places)
		return;
	size = size > scratch->size ? size : scratch->size;
	places = places > scratch->places ? places : scratch->places;
	dp_add_up_free(memory, scratch);
	scratch->size = size;
	scratch->record = memory->allocate(memory->context, size);
	scratch->places = places;
	scratch->place = memory->allocate(memory->context, places * sizeof(uint32_t));
}

void
dp_add_up_begin(DpAddUp *add, const DpUnitsMemory *memory, const DpRecords *records,
				DpLogScratch *scratch, size_t most)
{
	size_t		size = dp_record_size(records, DP_RECORD_ADDED);
	uint32_t	places = LEAST_PLACES;

	add->memory = memory;
	add->records = records;
	add->scratch = scratch;
	add->count = 0;
	add->most = (uint32_t) (most / size);
	while (places < 2 * add->most)
		places *= 2;
	add->places = places;
	reserve(memory, scratch, (add->most + 1) * size, places);
	dp_units_fill(memory, scratch->place, 0, places * sizeof(uint32_t));
}

/* Where to look first for a record: all of its identity matters. */
static inline uint32_t
home(const uint8_t *record, size_t identity)
{
	uint64_t	x = dp_acc_load64(record);
	size_t		at = sizeof(uint64_t);

	for (; at + sizeof(uint64_t) <= identity; at += sizeof(uint64_t))
	{
		x = (x ^ dp_acc_load64(record + at)) * UINT64_C(0xD6E8FEB86659FD93);
		x ^= x >> 32;
	}
	if (at < identity)
		x ^= dp_acc_load32(record + at) * UINT64_C(0xD6E8FEB86659FD93);
	return (uint32_t) ((x * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

/* Are two records to be added up? */
static inline bool
same(const uint8_t *a, const uint8_t *b, size_t identity)
{
	return dp_acc_load64(a) == dp_acc_load64(b) &&
		memcmp(a + sizeof(uint64_t), b + sizeof(uint64_t), identity - sizeof(uint64_t)) == 0;
}

/* The record of this identity; NULL if there would be too many. */
static inline uint8_t *
find(DpAddUp *add, const uint8_t *record, size_t size)
{
	DpLogScratch *scratch = add->scratch;
	uint32_t	mask = add->places - 1;
	size_t		identity = add->records->identity;

	for (uint32_t i = home(record, identity) & mask;; i = (i + 1) & mask)
	{
		uint32_t	number = scratch->place[i];
		uint8_t    *found = scratch->record + (size_t) (number == 0 ? add->count : number - 1) * size;

		if (number == 0)
		{
			if (add->count == add->most)
				return NULL;
			memcpy(found, record, identity);
			memset(found + identity, 0, size - identity);
			scratch->place[i] = ++add->count;
			return found;
		}
		if (same(found, record, identity))
			return found;
	}
}

uint32_t
dp_add_up_find(DpAddUp *add, const uint8_t *identity)
{
	size_t		size = dp_record_size(add->records, DP_RECORD_ADDED);
	const uint8_t *found = find(add, identity, size);

	return found ? (uint32_t) ((size_t) (found - add->scratch->record) / size) : UINT32_MAX;
}

bool
dp_add_up_some(DpAddUp *add, DpRecordForm form, const uint8_t *record, size_t bytes)
{
	const DpRecords *records = add->records;
	size_t		size = dp_record_size(records, DP_RECORD_ADDED);
	size_t		stride = dp_record_size(records, form);

	for (size_t at = 0; at < bytes; at += stride)
	{
		uint8_t    *found = find(add, record + at, size);

		if (found == NULL)
			return false;
		records->absorb(records->context, found + records->identity, form,
						record + at + records->identity);
	}
	return true;
}
