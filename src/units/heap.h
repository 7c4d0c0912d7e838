/*
 * heap.h
 *	  Memory for the plain-C files of this room from a memory context: large
 *	  pieces straight from the kernel, in huge pages where it has them, zeroed as
 *	  they are touched, and given back with the context.
 */
#ifndef DP_UNITS_HEAP_H
#define DP_UNITS_HEAP_H

#include "postgres.h"

#include "units/memory.h"

/* Fill in `memory` to allocate in this context and to check for interrupts. */
extern void dp_units_use_context(DpUnitsMemory *memory, MemoryContext context);

#endif							/* DP_UNITS_HEAP_H */
