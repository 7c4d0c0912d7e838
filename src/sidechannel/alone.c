/* SPDX-License-Identifier: PostgreSQL */
/*
 * alone.c
 *	  Running something without the hooks of other extensions, which hooks.c sets aside.
 */
#include "postgres.h"

#include "sidechannel/alone.h"

static DpRunAlone set_aside_and_run = NULL;

void
dp_sidechannel_set_run_alone(DpRunAlone run_alone)
{
	set_aside_and_run = run_alone;
}

void
dp_sidechannel_run_alone(void (*run) (void *arg), void *arg)
{
	set_aside_and_run(run, arg);
}
