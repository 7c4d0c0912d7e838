/*
 * kept_forget.h
 *	  Removing kept answers, with the caller's transaction.
 */
#ifndef DP_BUDGET_ANSWERS_KEPT_FORGET_H
#define DP_BUDGET_ANSWERS_KEPT_FORGET_H

#include "postgres.h"

/* Forget what was asked of a relation, by its name with its schema. */
extern void dp_budget_kept_forget_relation(const char *relation);

/* Forget what a budget paid for. */
extern void dp_budget_kept_forget_budget(int64 budget);

#endif							/* DP_BUDGET_ANSWERS_KEPT_FORGET_H */
