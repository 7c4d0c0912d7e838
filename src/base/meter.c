/* SPDX-License-Identifier: PostgreSQL */
/*
 * meter.c
 *	  Bounded memory for what is done before a charge.
 *
 * A metered context is an AllocSet whose table of methods was replaced by a copy with another
 * function to allocate.  Blocks that reallocation adds count at the next allocation.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/memnodes.h"
#include "utils/memutils.h"

#include "base/compat_executor.h"
#include "base/injection.h"
#include "base/meter.h"

#define ALLOWANCE ((Size) 160 * 1024 * 1024)
#define ALLOWANCE_PER_BYTE 96

typedef struct Meter
{
	MemoryContextMethods methods;	/* first: what the context points to */
	const MemoryContextMethods *original;
	Size		allowance;		/* bytes */
#ifdef DP_INJECTION
	bool		half_used;		/* has the point been passed? */
#endif
} Meter;

static pg_noinline void
refuse(const Meter *meter)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("a differentially private query takes too much memory before it is charged"),
			 errdetail("Planning a statement of this length may take %zu MB.", meter->allowance / (1024 * 1024)),
			 errhint("Ask for less in one statement: fewer aggregates, grouping sets, joins, subqueries or listed values.")));
}

/* A point for tests: half of what a statement may take before its charge is used. */
static inline void
pass_half(MemoryContext context, Size size)
{
#ifdef DP_INJECTION
	Meter	   *meter = (Meter *) context->methods;

	if (meter->half_used || context->mem_allocated + size <= meter->allowance / 2)
		return;
	meter->half_used = true;
	DP_INJECTION_POINT("half_used");
#endif
}

/* Allocate, unless the statement was cancelled or would hold more than it may. */
static void *
allocate(DP_ALLOCATE_PARAMETERS)
{
	const Meter *meter = (const Meter *) context->methods;

	pass_half(context, size);
	if (unlikely(QueryCancelPending || ProcDiePending))
		CHECK_FOR_INTERRUPTS();
	if (unlikely(context->mem_allocated + size > meter->allowance))
		refuse(meter);
	return meter->original->alloc(DP_ALLOCATE_ARGUMENTS);
}

MemoryContext
dp_meter_start(const char *name, const char *source)
{
	MemoryContext context = AllocSetContextCreateInternal(CurrentMemoryContext, name, ALLOCSET_DEFAULT_SIZES);
	Meter	   *meter = MemoryContextAlloc(context, sizeof(Meter));

	meter->methods = *context->methods;
	meter->methods.alloc = allocate;
	meter->original = context->methods;
#ifdef DP_INJECTION
	meter->half_used = false;
#endif
	meter->allowance = ALLOWANCE + (source ? strlen(source) * ALLOWANCE_PER_BYTE : 0);
	context->methods = &meter->methods;
	return context;
}

void
dp_meter_stop(MemoryContext context)
{
	if (context->methods->alloc == allocate)
		context->methods = ((const Meter *) context->methods)->original;
}
