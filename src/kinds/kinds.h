/* SPDX-License-Identifier: PostgreSQL */
/*
 * kinds.h
 *	  The table of each kind of release; see pricing/kind.h.
 */
#ifndef DP_KINDS_KINDS_H
#define DP_KINDS_KINDS_H

#include "pricing/kind.h"

#define DP_KIND(number, table) extern const DpKind dp_kinds_##table;
#include "pricing/kind_list.h"
#undef DP_KIND

/* Check the tables, in builds with assertions; from _PG_init. */
extern void dp_kinds_check(void);

#endif							/* DP_KINDS_KINDS_H */
