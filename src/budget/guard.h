/*
 * guard.h
 *	  What is done to the tables otherwise than through the extension's functions.
 */
#ifndef DP_BUDGET_GUARD_H
#define DP_BUDGET_GUARD_H

#include "postgres.h"

/*
 * Is it a function of ours that changes the budget table?  Set and
 * cleared by it.
 */
extern bool dp_budget_guard_acting;

#endif							/* DP_BUDGET_GUARD_H */
