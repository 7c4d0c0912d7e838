/*
 * compat.h
 *	  The one place that knows PostgreSQL version numbers.
 *
 * Supported: PostgreSQL 15.  Code elsewhere uses the names defined here and
 * never tests PG_VERSION_NUM itself.
 */
#ifndef DP_COMPAT_H
#define DP_COMPAT_H

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 160000
#error "dp_agg supports PostgreSQL 15"
#endif

#endif							/* DP_COMPAT_H */
