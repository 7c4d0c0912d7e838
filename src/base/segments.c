/* SPDX-License-Identifier: PostgreSQL */
/*
 * segments.c
 *	  Cutting pieces from segments.
 */
#include "base/segments.h"

void *
dp_segments_cut(DpSegments *segments, size_t size, size_t more)
{
	for (; segments->current < segments->count; segments->current++, segments->used = 0)
		if (segments->segment[segments->current].size - segments->used >= size)
			break;
	if (segments->current == segments->count)
	{
		void	   *base;

		if (segments->count == DP_MOST_SEGMENTS || segments->limit < segments->size + size)
			return NULL;
		more = more > size ? more : size;
		more = more < segments->limit - segments->size ? more : segments->limit - segments->size;
		base = segments->make(segments->context, more);
		if (base == NULL)
		{
			segments->limit = 0;
			return NULL;
		}
		segments->segment[segments->count].base = base;
		segments->segment[segments->count++].size = more;
		segments->size += more;
		segments->used = 0;
	}
	segments->used += size;
	return segments->segment[segments->current].base + segments->used - size;
}

uint64_t
dp_segments_place(const DpSegments *segments, const void *bytes)
{
	for (int i = 0; segments && i < segments->count; i++)
	{
		size_t		offset = (uintptr_t) bytes - (uintptr_t) segments->segment[i].base;

		if (offset < segments->segment[i].size)
			return (uint64_t) (i + 1) << 48 | offset;
	}
	return 0;
}
