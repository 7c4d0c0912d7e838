/* SPDX-License-Identifier: PostgreSQL */
/*
 * keeper.h
 *	  The background worker that charges budgets: one per database, launched
 *	  on demand, gone when idle.
 */
#ifndef DP_BUDGET_KEEPER_KEEPER_H
#define DP_BUDGET_KEEPER_KEEPER_H

#include "postgres.h"

extern PGDLLEXPORT void dp_budget_keeper_main(Datum database);

#endif							/* DP_BUDGET_KEEPER_KEEPER_H */
