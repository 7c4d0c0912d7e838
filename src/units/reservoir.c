/*
 * reservoir.c
 *	  Choosing groups of a unit without having all of them at once.
 */
#include "units/reservoir.h"
#include "units/sums.h"

#define LEAST_PLACES 16

void
dp_reservoir_create(DpReservoir *reservoir, const DpUnitsMemory *memory, const DpUnitsSpec *spec)
{
	memset(reservoir, 0, sizeof(DpReservoir));
	reservoir->memory = *memory;
	reservoir->secret = &spec->secret;
	reservoir->size = (sizeof(DpUnitId) + spec->acc_size + 7) & ~(size_t) 7;
	reservoir->most = spec->max_groups;
}

void
dp_reservoir_destroy(DpReservoir *reservoir)
{
	dp_buffer_free(&reservoir->memory, &reservoir->entry);
	dp_buffer_free(&reservoir->memory, &reservoir->place);
}

void
dp_reservoir_offer(DpReservoir *reservoir, const DpUnitId *group, const uint8_t *acc)
{
	size_t		size = reservoir->size;
	uint64_t	at = reservoir->count;
	uint8_t    *entry;

	reservoir->offered++;
	if (reservoir->count < reservoir->most)
		dp_buffer_extend(&reservoir->memory, &reservoir->entry, at * size, ++reservoir->count * size);
	else if ((at = dp_sums_below(reservoir->offered)) >= reservoir->most)
		return;
	entry = (uint8_t *) reservoir->entry.bytes + at * size;
	memcpy(entry, group, sizeof(DpUnitId));
	memcpy(entry + sizeof(DpUnitId), acc, size - sizeof(DpUnitId));
}

void
dp_reservoir_index(DpReservoir *reservoir)
{
	uint32_t	places = LEAST_PLACES;
	uint32_t   *place;

	while (places < 2 * reservoir->count)
		places *= 2;
	reservoir->places = places;
	place = dp_buffer_reserve(&reservoir->memory, &reservoir->place, places * sizeof(uint32_t));
	dp_units_fill(&reservoir->memory, place, 0, places * sizeof(uint32_t));
	for (uint32_t i = 0; i < reservoir->count; i++)
	{
		if (i % DP_UNITS_STRIDE == 0)
			reservoir->memory.breathe();
		place[dp_reservoir_place(reservoir, dp_reservoir_group(reservoir, i))] = i + 1;
	}
}
