/* SPDX-License-Identifier: PostgreSQL */
/*
 * meter.h
 *	  Bounded memory for all work before a charge.
 *
 * Every role that may connect can have a statement planned, without a budget and
 * without a right.  So planning and opening work in a metered context until the charge:
 * an allocation there beyond an allowance raises an error, and each allocation checks
 * whether the statement was cancelled.  This covers the server's own functions too,
 * which allocate in the same context.  So every loop that allocates ends.
 *
 * Not covered are child contexts (hash tables, executors, which keep to work_mem) and loops
 * that allocate nothing: these check for interrupts themselves.
 */
#ifndef DP_BASE_METER_H
#define DP_BASE_METER_H

#include "postgres.h"

/*
 * Make a metered context below the current one.  The allowance is 160 MB and 96 bytes for each
 * byte of the statement's text, which may be NULL.  Beyond it: 54000.
 */
extern MemoryContext dp_meter_start(const char *name, const char *source);

/* Have a metered context be an ordinary one from now on; nothing happens to one that is. */
extern void dp_meter_stop(MemoryContext context);

#endif							/* DP_BASE_METER_H */
