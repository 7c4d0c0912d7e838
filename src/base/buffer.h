/* SPDX-License-Identifier: PostgreSQL */
/*
 * buffer.h
 *	  Memory that is used again and again, larger when need be.
 *
 * Plain C: no server header.
 */
#ifndef DP_BASE_BUFFER_H
#define DP_BASE_BUFFER_H

#include "base/memory.h"

typedef struct DpBuffer
{
	void	   *bytes;
	size_t		size;
} DpBuffer;

static inline void
dp_buffer_free(const DpMemory *memory, DpBuffer *buffer)
{
	if (buffer->bytes)
		memory->release(memory->context, buffer->bytes, buffer->size);
	buffer->bytes = NULL;
	buffer->size = 0;
}

/* So many bytes, and no more where it is anew: then there are zeros.  What was there is lost. */
static inline void *
dp_buffer_fit(const DpMemory *memory, DpBuffer *buffer, size_t size)
{
	if (buffer->size >= size && buffer->bytes)
		return buffer->bytes;
	dp_buffer_free(memory, buffer);
	buffer->size = size;
	buffer->bytes = memory->allocate(memory->context, size);
	return buffer->bytes;
}

/* The same, but with room for some more. */
static inline void *
dp_buffer_reserve(const DpMemory *memory, DpBuffer *buffer, size_t size)
{
	if (buffer->size >= size && buffer->bytes)
		return buffer->bytes;
	return dp_buffer_fit(memory, buffer, size + size / 4 + 64);
}

/* The same, but what was there, so many bytes, is kept. */
static inline void *
dp_buffer_extend(const DpMemory *memory, DpBuffer *buffer, size_t used, size_t size)
{
	DpBuffer	old = *buffer;

	if (buffer->size >= size && buffer->bytes)
		return buffer->bytes;
	buffer->bytes = NULL;
	dp_buffer_reserve(memory, buffer, size);
	if (old.bytes)
		dp_memory_copy(memory, buffer->bytes, old.bytes, used);
	dp_buffer_free(memory, &old);
	return buffer->bytes;
}

#endif							/* DP_BASE_BUFFER_H */
