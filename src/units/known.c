/* SPDX-License-Identifier: PostgreSQL */
/*
 * known.c
 *	  Telling other processes what numbers of groups stand for.
 */
#include "units/known.h"

/* What a number of a group stands for. */
static const void *
known_group(const DpCollect *collect, uint32_t i, uint32_t *length)
{
	*length = collect->wide ? sizeof(DpUnitId) : collect->groups.group[i].length;
	return collect->wide ? &((const DpUnitId *) collect->ids.bytes)[i] : (const void *) dp_units_key(&collect->groups.group[i]);
}

/* Room in a segment for all of them; NULL if there is none. */
static uint8_t *
room_in_segment(const DpCollect *collect, uint32_t count)
{
	size_t		size = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	length;

		(void) known_group(collect, i, &length);
		size += sizeof(length) + length;
	}
	return collect->segments && size > 0 ? dp_segments_cut(collect->segments, size, 0) : NULL;
}

void
dp_units_publish_known(DpKnownGroups *known, DpCollect *collect)
{
	uint32_t	count = collect->wide ? collect->count : collect->groups.count;
	uint8_t    *at = room_in_segment(collect, count);

	known->wide = collect->wide;
	known->count = count;
	known->place = at ? dp_segments_place(collect->segments, at) : 0;
	known->key_at = collect->keys.size;
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	length;
		const void *group = known_group(collect, i, &length);

		if (i % DP_MEMORY_STRIDE == 0)
			collect->memory.breathe();
		if (!at)
		{
			dp_units_key_file_add(&collect->keys, group, length);
			continue;
		}
		memcpy(at, &length, sizeof(length));
		memcpy(at + sizeof(length), group, length);
		at += sizeof(length) + length;
	}
}

/* The id of a group with this key, which is at a place of another process's key file, or in no file. */
static DpUnitId
identify(DpCollect *collect, const void *key, uint32_t length, bool in_file, uint64_t place, uint32_t process)
{
	DpUnitId	id;

	if (!in_file)
		return dp_units_collect_identify(collect, key, length);
	id = dp_units_group_id(&collect->spec->secret, key, length);
	if (dp_units_group_key_is_long(&id))
		dp_units_contributions_put_key(&collect->contributions, &id, (place + 1) | (uint64_t) process << DP_KEY_PLACE_BITS);
	return id;
}

void
dp_units_learn_known(const DpKnownGroups *known, DpCollect *collect, const DpSegments *segments, DpKeyFile *keys,
					 uint32_t process, uint32_t *numbers, DpUnitId *ids)
{
	const uint8_t *at = known->place != 0 ? dp_segments_at(segments, known->place) : NULL;
	uint64_t	place = known->key_at;

	for (uint32_t i = 0; i < known->count; i++)
	{
		uint64_t	next = 0;
		uint32_t	length;
		const uint8_t *group;

		if (i % DP_MEMORY_STRIDE == 0)
			collect->memory.breathe();
		if (at)
		{
			memcpy(&length, at, sizeof(length));
			group = at + sizeof(length);
			at = group + length;
		}
		else
			group = dp_units_key_file_read(keys, place, &length, &next);
		if (!collect->wide)
			numbers[i] = dp_units_intern(&collect->groups, group, length);
		else if (known->wide)
			memcpy(&ids[i], group, sizeof(DpUnitId));
		else
			ids[i] = identify(collect, group, length, !at, place, process);
		place = next;
	}
}
