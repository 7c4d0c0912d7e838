/* SPDX-License-Identifier: PostgreSQL */
/*
 * compat_varlena.h
 *	  Versions of PostgreSQL: values of variable length, which 16 and later declare apart.
 */
#ifndef DP_BASE_COMPAT_VARLENA_H
#define DP_BASE_COMPAT_VARLENA_H

#include "postgres.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 200000
#error "dp_agg supports PostgreSQL 15 to 19"
#endif

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#endif							/* DP_BASE_COMPAT_VARLENA_H */
