/* SPDX-License-Identifier: PostgreSQL */
/*
 * pld_services.h
 *	  What exact composition asks of its surroundings, in a server.
 */
#ifndef DP_ACCOUNTING_PLD_SERVICES_H
#define DP_ACCOUNTING_PLD_SERVICES_H

#include "accounting/pld.h"

/* Memory of the current context, and checks for interrupts. */
extern const DpPldServices dp_accounting_pld_services;

#endif							/* DP_ACCOUNTING_PLD_SERVICES_H */
