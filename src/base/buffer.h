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

/* So many bytes; what was there is lost, and where it is anew, there are zeros. */
static inline void *
dp_buffer_reserve(const DpMemory *memory, DpBuffer *buffer, size_t size)
{
	if (buffer->size >= size && buffer->bytes)
		return buffer->bytes;
	dp_buffer_free(memory, buffer);
	buffer->size = size + size / 4 + 64;
	buffer->bytes = memory->allocate(memory->context, buffer->size);
	return buffer->bytes;
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
