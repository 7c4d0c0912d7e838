/*
 * protect.h
 *	  Declaring protection: the label provider, dp_agg.protect, dp_agg.unprotect
 *	  and what the view dp_agg.protected_tables is made of.
 */
#ifndef DP_QUERY_POLICY_PROTECT_H
#define DP_QUERY_POLICY_PROTECT_H

#include "postgres.h"

/* Register the label provider; from _PG_init. */
extern void dp_query_policy_init(void);

#endif							/* DP_QUERY_POLICY_PROTECT_H */
