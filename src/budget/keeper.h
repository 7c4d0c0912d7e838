/*
 * keeper.h
 *	  The background worker that charges budgets: one per database, launched
 *	  on demand, gone when idle.
 */
#ifndef DP_BUDGET_KEEPER_H
#define DP_BUDGET_KEEPER_H

#include "postgres.h"

#include "postmaster/bgworker.h"

/*
 * Register a keeper for this database, without waiting for it to start.
 * *handle is allocated in the current memory context.  False if the server has
 * no background worker to spare.
 */
extern bool dp_budget_keeper_launch(BackgroundWorkerHandle **handle);

extern PGDLLEXPORT void dp_budget_keeper_main(Datum database);

#endif							/* DP_BUDGET_KEEPER_H */
