/*
 * slab.h
 *	  Memory that blocks are cut from, and that is given back all at once.
 *
 * Plain C: no server header.
 */
#ifndef DP_UNITS_SLAB_H
#define DP_UNITS_SLAB_H

#include "units/memory.h"

typedef struct DpSlab DpSlab;

/* So many bytes of zeros from the newest of the slabs, or from another of `more` bytes. */
extern void *dp_slab_cut(const DpUnitsMemory *memory, DpSlab **slabs, size_t size, size_t more);

/* Give all back. */
extern void dp_slab_free(const DpUnitsMemory *memory, DpSlab **slabs);

#endif							/* DP_UNITS_SLAB_H */
