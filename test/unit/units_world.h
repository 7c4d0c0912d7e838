/*
 * units_world.h
 *	  Memory and files for the plain-C files of src/units, as strict as a server's and
 *	  stricter: what is not given back is counted, sizes are compared, reads beyond what
 *	  was written abort, and the n-th allocation, breath or use of a file can fail.
 *
 * A failure leaves by longjmp, as errors do in the server; world_forget then frees all.
 */
#ifndef DP_UNITS_WORLD_H
#define DP_UNITS_WORLD_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units/partition_file.h"

/* Abort unless a claim holds. */
#ifndef CLAIM
#define CLAIM(claim) \
	do { \
		if (!(claim)) \
		{ \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #claim); \
			abort(); \
		} \
	} while (0)
#endif

/* In front of each block. */
typedef struct WorldBlock
{
	struct WorldBlock *before;
	struct WorldBlock *after;
	size_t		size;
} WorldBlock;

typedef struct WorldFile
{
	struct WorldFile *next;
	uint8_t    *bytes;
	size_t		size;
	size_t		capacity;
	int			users;			/* that have it open */
} WorldFile;

/* What fails. */
typedef enum WorldStep
{
	WORLD_NOTHING,
	WORLD_ALLOCATE,
	WORLD_FILE,
	WORLD_BREATHE,
	WORLD_STEPS
} WorldStep;

typedef struct World
{
	WorldBlock	blocks;			/* the ring's anchor */
	WorldFile  *files;
	size_t		outstanding;	/* bytes of memory */
	size_t		most;			/* of these, at once */
	int			open;			/* files */
	int			opened;			/* ever */
	uint64_t	written;
	uint64_t	steps[WORLD_STEPS];
	WorldStep	failing;
	uint64_t	fails_at;
	bool		failed;
	jmp_buf		escape;

	/* Pieces of memory filled or copied without a breath for each. */
	size_t		breaths;		/* since the last allocation */
	size_t		last_size;		/* of that one */
	size_t		large;			/* allocations of several pieces */
	size_t		breathless;		/* of these */
} World;

static World world = {.blocks = {&world.blocks, &world.blocks, 0}};

/* Count a step, and fail if it is the one that shall. */
static inline void
world_step(WorldStep step)
{
	if (++world.steps[step] != world.fails_at || world.failing != step)
		return;
	world.failed = true;
	longjmp(world.escape, 1);
}

/* What is new is full soon, or twice what is copied there. */
static inline void
world_count_breathless(void)
{
	world.large += world.last_size / 2 > DP_MEMORY_PIECE;
	world.breathless += world.breaths + 1 < world.last_size / 2 / DP_MEMORY_PIECE;
	world.last_size = world.breaths = 0;
}

static inline void *
world_allocate(void *context, size_t size)
{
	void	   *memory;
	WorldBlock *block;

	(void) context;
	world_step(WORLD_ALLOCATE);
	CLAIM(size < (size_t) 1 << 40 && posix_memalign(&memory, 64, 64 + size) == 0);
	world_count_breathless();
	block = memory;
	*block = (WorldBlock) {&world.blocks, world.blocks.after, size};
	block->after->before = world.blocks.after = block;
	world.outstanding += size;
	world.most = world.most > world.outstanding ? world.most : world.outstanding;
	world.last_size = size;
	return memset((uint8_t *) memory + 64, 0, size);
}

static inline void
world_release(void *context, void *bytes, size_t size)
{
	WorldBlock *block = (WorldBlock *) ((uint8_t *) bytes - 64);

	(void) context;
	CLAIM(block->size == size);
	world_count_breathless();
	block->before->after = block->after;
	block->after->before = block->before;
	world.outstanding -= size;
	free(block);
}

static inline void
world_breathe(void)
{
	world.breaths++;
	world_step(WORLD_BREATHE);
}

static const DpMemory world_memory = {NULL, world_allocate, world_release, world_breathe};

static inline void *
world_open(void *context)
{
	WorldFile  *file;

	(void) context;
	world_step(WORLD_FILE);
	file = calloc(1, sizeof(WorldFile));
	file->users = 1;
	file->next = world.files;
	world.files = file;
	world.open++;
	world.opened++;
	return file;
}

/* Open a file that another process has written. */
static inline void *
world_open_again(void *file)
{
	if (file == NULL)
		return NULL;
	((WorldFile *) file)->users++;
	return file;
}

static inline void
world_write(void *to, uint64_t offset, const void *bytes, size_t size)
{
	WorldFile  *file = to;

	world_step(WORLD_FILE);
	CLAIM(file->users > 0 && offset <= file->size && size > 0);
	if (offset + size > file->capacity)
	{
		file->capacity = 2 * (offset + size);
		file->bytes = realloc(file->bytes, file->capacity);
	}
	memcpy(file->bytes + offset, bytes, size);
	file->size = offset + size > file->size ? offset + size : file->size;
	world.written += size;
}

static inline void
world_read(void *from, uint64_t offset, void *bytes, size_t size)
{
	WorldFile  *file = from;

	world_step(WORLD_FILE);
	CLAIM(file->users > 0 && offset + size <= file->size);
	memcpy(bytes, file->bytes + offset, size);
}

/* Free a file that is in the list. */
static inline void
world_remove(WorldFile *file)
{
	WorldFile **link = &world.files;

	while (*link != file)
		link = &(*link)->next;
	*link = file->next;
	free(file->bytes);
	free(file);
	world.open--;
}

static inline void
world_close(void *file)
{
	if (--((WorldFile *) file)->users == 0)
		world_remove(file);
}

static const DpFiles world_files = {NULL, world_open, world_write, world_read, world_close};

/* Nothing counted so far, nothing fails: from now on. */
static inline void
world_begin(void)
{
	CLAIM(world.outstanding == 0 && world.open == 0);
	world.most = 0;
	world.opened = 0;
	world.written = 0;
	memset(world.steps, 0, sizeof(world.steps));
	world.failing = WORLD_NOTHING;
	world.failed = false;
}

/* All memory and files have been given back. */
static inline void
world_end(void)
{
	CLAIM(world.outstanding == 0 && world.open == 0);
}

/* After a failure: free everything at once, as the owner of a memory context does. */
static inline void
world_forget(void)
{
	while (world.blocks.after != &world.blocks)
	{
		WorldBlock *block = world.blocks.after;

		world_release(NULL, (uint8_t *) block + 64, block->size);
	}
	while (world.files)
		world_remove(world.files);
	world_end();
}

/* Numbers for data: never what the room itself draws. */
static uint64_t data_state = 1;

static inline uint64_t
data64(void)
{
	data_state ^= data_state << 13;
	data_state ^= data_state >> 7;
	data_state ^= data_state << 17;
	return data_state * UINT64_C(0x2545F4914F6CDD1D);
}

static inline uint32_t
data_below(uint32_t n)
{
	return (uint32_t) ((data64() >> 32) * n >> 32);
}

#endif							/* DP_UNITS_WORLD_H */
