/*
 * heap.c
 *	  Memory from a memory context.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "units/heap.h"

#define ALIGNMENT 64
#define HUGE_PAGE ((Size) 2 * 1024 * 1024)
#define FROM_KERNEL (HUGE_PAGE / 2)

/* A piece from the kernel: `block` is within it, aligned. */
typedef struct Mapping
{
	struct Mapping *next;
	void	   *block;
	void	   *base;
	Size		size;
} Mapping;

typedef struct Heap
{
	MemoryContext context;
	MemoryContextCallback callback;
	Mapping    *mappings;
} Heap;

/* The context is going away. */
static void
unmap_all(void *arg)
{
	Heap	   *heap = arg;

	for (Mapping *m = heap->mappings; m; m = m->next)
		munmap(m->base, m->size);
	heap->mappings = NULL;
}

/* Zeroed memory from the kernel; touching it is what takes time. */
static void *
map(Heap *heap, Size size)
{
	Mapping    *m = MemoryContextAlloc(heap->context, sizeof(Mapping));

	if (size > MaxAllocHugeSize)
		elog(ERROR, "invalid size of memory for units: %zu", size);
	m->size = size + HUGE_PAGE;
	m->base = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->base == MAP_FAILED)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	m->block = (void *) TYPEALIGN(HUGE_PAGE, m->base);
#ifdef MADV_HUGEPAGE
	(void) madvise(m->block, size, MADV_HUGEPAGE);
#endif
	m->next = heap->mappings;
	heap->mappings = m;
	return m->block;
}

static void
unmap(Heap *heap, void *block)
{
	Mapping   **link = &heap->mappings;
	Mapping    *m;

	while ((*link)->block != block)
		link = &(*link)->next;
	m = *link;
	*link = m->next;
	munmap(m->base, m->size);
	pfree(m);
}

/* The chunk a block lies in is remembered in front of it. */
static void *
allocate(void *context, size_t size)
{
	Heap	   *heap = context;
	void	   *chunk;
	void	  **block;

	if (size >= FROM_KERNEL)
		return map(heap, size);
	chunk = MemoryContextAllocZero(heap->context, size + sizeof(void *) + ALIGNMENT);
	block = (void **) TYPEALIGN(ALIGNMENT, (char *) chunk + sizeof(void *));
	block[-1] = chunk;
	return block;
}

static void
release(void *context, void *block, size_t size)
{
	if (size >= FROM_KERNEL)
		unmap(context, block);
	else
		pfree(((void **) block)[-1]);
}

static void
breathe(void)
{
	CHECK_FOR_INTERRUPTS();
}

void
dp_units_use_context(DpUnitsMemory *memory, MemoryContext context)
{
	Heap	   *heap = MemoryContextAllocZero(context, sizeof(Heap));

	heap->context = context;
	heap->callback.func = unmap_all;
	heap->callback.arg = heap;
	MemoryContextRegisterResetCallback(context, &heap->callback);
	memory->context = heap;
	memory->allocate = allocate;
	memory->release = release;
	memory->breathe = breathe;
}
