/* SPDX-License-Identifier: PostgreSQL */
/*
 * hooks.h
 *	  The extension's places in PostgreSQL's hooks.
 */
#ifndef DP_HOOKS_H
#define DP_HOOKS_H

/* Install the hooks; from _PG_init of a preloaded library. */
extern void dp_hooks_init(void);

#endif							/* DP_HOOKS_H */
