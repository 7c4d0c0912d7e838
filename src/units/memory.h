/* SPDX-License-Identifier: PostgreSQL */
/*
 * memory.h
 *	  Where the plain-C files of this room get memory, and how they stay
 *	  interruptible.
 *
 * Plain C: no server header.  In the server both `allocate` and `breathe` may leave by
 * longjmp; the owner of the context then frees everything at once.
 */
#ifndef DP_UNITS_MEMORY_H
#define DP_UNITS_MEMORY_H

#include <string.h>

/*
 * For functions that only ask for cache lines: GCC takes them for functions without
 * any effect, and drops calls that it does not inline early.
 */
#define DP_ALWAYS_INLINE inline __attribute__((always_inline))

typedef struct DpUnitsMemory
{
	void	   *context;

	/* `size` bytes of zeros, aligned to 64; does not return if there are none. */
	void	   *(*allocate) (void *context, size_t size);
	void		(*release) (void *context, void *block, size_t size);

	/* Called at least once in a few thousand steps of any loop. */
	void		(*breathe) (void);
} DpUnitsMemory;

/* Steps of a loop between two breaths: well below a millisecond. */
#define DP_UNITS_STRIDE 4096

/* Bytes written between two breaths, likewise. */
#define DP_UNITS_PIECE ((size_t) 256 * 1024)

/* memset, piece by piece. */
static inline void
dp_units_fill(const DpUnitsMemory *memory, void *to, int byte, size_t size)
{
	for (; size > DP_UNITS_PIECE; size -= DP_UNITS_PIECE)
	{
		memset(to, byte, DP_UNITS_PIECE);
		to = (char *) to + DP_UNITS_PIECE;
		memory->breathe();
	}
	memset(to, byte, size);
}

/* memcpy, piece by piece. */
static inline void
dp_units_copy(const DpUnitsMemory *memory, void *to, const void *from, size_t size)
{
	for (; size > DP_UNITS_PIECE; size -= DP_UNITS_PIECE)
	{
		memcpy(to, from, DP_UNITS_PIECE);
		to = (char *) to + DP_UNITS_PIECE;
		from = (const char *) from + DP_UNITS_PIECE;
		memory->breathe();
	}
	memcpy(to, from, size);
}

#endif							/* DP_UNITS_MEMORY_H */
