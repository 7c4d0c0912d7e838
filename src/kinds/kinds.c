/* SPDX-License-Identifier: PostgreSQL */
/*
 * kinds.c
 *	  All kinds of release; see pricing/kind.h.
 */
#include "postgres.h"

#include "kinds/kinds.h"
#include "pricing/kind.h"

const DpKind *const dp_kinds[DP_KINDS] = {
#define DP_KIND(number, table) &dp_kinds_##table,
#include "pricing/kind_list.h"
#undef DP_KIND
};
