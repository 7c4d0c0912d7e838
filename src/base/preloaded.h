/* SPDX-License-Identifier: PostgreSQL */
/*
 * preloaded.h
 *	  Whether the library was loaded at server start.
 *
 * Only then there are its hooks and shared memory in every session, and a keeper that charges.
 * A library that a session loads, by session_preload_libraries, local_preload_libraries, LOAD or
 * the call of a function, has none of these: nothing is answered.
 */
#ifndef DP_BASE_PRELOADED_H
#define DP_BASE_PRELOADED_H

#include "postgres.h"

/* Was the library loaded by shared_preload_libraries?  Set by _PG_init. */
extern bool dp_preloaded;

/* Warn, once in a statement, if it was not: for what declares things that nothing would act upon. */
extern void dp_warn_unless_preloaded(void);

#endif							/* DP_BASE_PRELOADED_H */
