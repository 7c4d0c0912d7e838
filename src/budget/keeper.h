/*
 * keeper.h
 *	  The background worker that charges budgets: one per database, launched
 *	  on demand, gone when idle.
 */
#ifndef DP_BUDGET_KEEPER_H
#define DP_BUDGET_KEEPER_H

#include "postgres.h"

/*
 * Register a keeper for this database, without waiting for it to start.  False
 * if the server has no background worker to spare.
 */
extern bool dp_budget_keeper_launch(void);

/* Have this database's keeper look for work; one that is not there is launched, if it can be. */
extern void dp_budget_keeper_call(void);

extern PGDLLEXPORT void dp_budget_keeper_main(Datum database);

#endif							/* DP_BUDGET_KEEPER_H */
