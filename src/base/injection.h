/* SPDX-License-Identifier: PostgreSQL */
/*
 * injection.h
 *	  Points at which tests stop a process, cancel it or let it run out of memory.
 *
 * Compiled with COPT=-DDP_INJECTION only, which no release build is; without
 * it a point is nothing at all.
 *
 * A point is armed by a file of its name in the directory "injection" of the
 * data directory, so that it can be armed, found reached and let go whatever
 * state the server is in:
 *
 *	  stop	the process says that it is here, by a file NAME.PID, and stays until
 *			either file is gone; it serves interrupts if they are served there
 *	  cancel	the process sends itself the signal of pg_cancel_backend
 *	  fail	an allocation that cannot be met
 *	  full	the error of a disk that is full
 *	  forget	the session's caches of catalogs are emptied
 */
#ifndef DP_BASE_INJECTION_H
#define DP_BASE_INJECTION_H

#ifdef DP_INJECTION
extern void dp_injection_point(const char *name);
#define DP_INJECTION_POINT(name) dp_injection_point(name)
#else
#define DP_INJECTION_POINT(name) ((void) 0)
#endif

#endif							/* DP_BASE_INJECTION_H */
