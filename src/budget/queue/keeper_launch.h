/*
 * keeper_launch.h
 *	  Having a keeper come.
 */
#ifndef DP_BUDGET_QUEUE_KEEPER_LAUNCH_H
#define DP_BUDGET_QUEUE_KEEPER_LAUNCH_H

#include "postgres.h"

#define DP_KEEPER_NAME "dp_agg keeper"

/*
 * Register a keeper for this database, without waiting for it to start.  False
 * if the server has no background worker to spare.
 */
extern bool dp_budget_keeper_launch(void);

/* Have this database's keeper look for work; one that is not there is launched, if it can be. */
extern void dp_budget_keeper_call(void);

#endif							/* DP_BUDGET_QUEUE_KEEPER_LAUNCH_H */
