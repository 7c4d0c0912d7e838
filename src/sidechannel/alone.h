/* SPDX-License-Identifier: PostgreSQL */
/*
 * alone.h
 *	  Running something without the hooks of other extensions.
 */
#ifndef DP_SIDECHANNEL_ALONE_H
#define DP_SIDECHANNEL_ALONE_H

#include "postgres.h"

typedef void (*DpRunAlone) (void (*run) (void *arg), void *arg);

/* Sets hooks aside for the time something runs; from dp_hooks_init. */
extern void dp_sidechannel_set_run_alone(DpRunAlone run_alone);

/*
 * Run something by PostgreSQL's own planner and executor: no hook of another extension sees what is
 * planned, checked or run meanwhile, whenever that is.  Their hooks are back when it returns or
 * raises an error.  Messages go to the server's log as ever.
 */
extern void dp_sidechannel_run_alone(void (*run) (void *arg), void *arg);

#endif							/* DP_SIDECHANNEL_ALONE_H */
