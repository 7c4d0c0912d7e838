/*
 * meter.h
 *	  Bounded memory for what is done before a charge.
 *
 * Whoever may connect can have a statement planned, without a budget and without a right.  So
 * what planning and opening do before the charge works in a metered context: an allocation
 * there that goes beyond an allowance raises an error, and each one looks whether the statement
 * was cancelled.  This covers the server's own functions too, which allocate in the same
 * context.  So a loop that allocates ends, whatever made it go on.
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
