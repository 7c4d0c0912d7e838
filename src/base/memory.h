/* SPDX-License-Identifier: PostgreSQL */
/*
 * memory.h
 *	  Where plain C gets memory and temporary files, and how it stays interruptible.
 *
 * Plain C: no server header.  In the server both `allocate` and `breathe` may leave by
 * longjmp; the owner of the context then frees everything at once.
 */
#ifndef DP_BASE_MEMORY_H
#define DP_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * For functions that only ask for cache lines: GCC takes them for functions without
 * any effect, and drops calls that it does not inline early.
 */
#define DP_ALWAYS_INLINE inline __attribute__((always_inline))

typedef struct DpMemory
{
	void	   *context;

	/* `size` bytes of zeros, aligned to 64; does not return if there are none. */
	void	   *(*allocate) (void *context, size_t size);
	void		(*release) (void *context, void *block, size_t size);

	/* Called at least once in a few thousand steps of any loop. */
	void		(*breathe) (void);
} DpMemory;

/* Steps of a loop between two breaths: well below a millisecond. */
#define DP_MEMORY_STRIDE 4096

/* Bytes written between two breaths, likewise. */
#define DP_MEMORY_PIECE ((size_t) 256 * 1024)

/* memset, piece by piece. */
static inline void
dp_memory_fill(const DpMemory *memory, void *to, int byte, size_t size)
{
	for (; size > DP_MEMORY_PIECE; size -= DP_MEMORY_PIECE)
	{
		memset(to, byte, DP_MEMORY_PIECE);
		to = (char *) to + DP_MEMORY_PIECE;
		memory->breathe();
	}
	memset(to, byte, size);
}

/* memcpy, piece by piece. */
static inline void
dp_memory_copy(const DpMemory *memory, void *to, const void *from, size_t size)
{
	for (; size > DP_MEMORY_PIECE; size -= DP_MEMORY_PIECE)
	{
		memcpy(to, from, DP_MEMORY_PIECE);
		to = (char *) to + DP_MEMORY_PIECE;
		from = (const char *) from + DP_MEMORY_PIECE;
		memory->breathe();
	}
	memcpy(to, from, size);
}

/* Temporary files.  Errors do not return. */
typedef struct DpFiles
{
	void	   *context;
	void	   *(*open) (void *context);
	void		(*write) (void *file, uint64_t offset, const void *bytes, size_t size);
	void		(*read) (void *file, uint64_t offset, void *bytes, size_t size);
	void		(*close) (void *file);
} DpFiles;

#endif							/* DP_BASE_MEMORY_H */
