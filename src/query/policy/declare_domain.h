/*
 * declare_domain.h
 *	  Declaring domains of columns: see domain.h.
 */
#ifndef DP_QUERY_POLICY_DECLARE_DOMAIN_H
#define DP_QUERY_POLICY_DECLARE_DOMAIN_H

/* Register the label provider; from _PG_init. */
extern void dp_query_domain_init(void);

#endif							/* DP_QUERY_POLICY_DECLARE_DOMAIN_H */
