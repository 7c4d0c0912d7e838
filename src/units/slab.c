/*
 * slab.c
 *	  Memory for blocks.
 */
#include <stdint.h>

#include "units/slab.h"

struct DpSlab
{
	DpSlab	   *next;
	size_t		size;
	size_t		used;
	uint8_t		data[] __attribute__((aligned(16)));
};

void *
dp_slab_cut(const DpUnitsMemory *memory, DpSlab **slabs, size_t size, size_t more)
{
	DpSlab	   *slab = *slabs;

	if (slab == NULL || slab->size - slab->used < size)
	{
		more = more > size ? more : size;
		slab = memory->allocate(memory->context, sizeof(DpSlab) + more);
		slab->size = more;
		slab->next = *slabs;
		*slabs = slab;
	}
	slab->used += size;
	return slab->data + slab->used - size;
}

void
dp_slab_free(const DpUnitsMemory *memory, DpSlab **slabs)
{
	while (*slabs)
	{
		DpSlab	   *slab = *slabs;

		*slabs = slab->next;
		memory->release(memory->context, slab, sizeof(DpSlab) + slab->size);
	}
}
