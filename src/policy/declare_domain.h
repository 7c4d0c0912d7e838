/* SPDX-License-Identifier: PostgreSQL */
/*
 * declare_domain.h
 *	  Declaring domains of columns: see domain.h.
 */
#ifndef DP_POLICY_DECLARE_DOMAIN_H
#define DP_POLICY_DECLARE_DOMAIN_H

/* Register the label provider; from _PG_init. */
extern void dp_policy_domain_init(void);

#endif							/* DP_POLICY_DECLARE_DOMAIN_H */
