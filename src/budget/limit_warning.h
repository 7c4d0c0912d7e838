/* SPDX-License-Identifier: PostgreSQL */
/*
 * limit_warning.h
 *	  Warnings of a limit that is being set.
 */
#ifndef DP_BUDGET_LIMIT_WARNING_H
#define DP_BUDGET_LIMIT_WARNING_H

#include "postgres.h"

/* What warns of a data set that no table belongs to: it takes more than this room knows. */
typedef void (*DpWarnOfDataset) (const char *dataset);

extern void dp_budget_set_warn_of_dataset(DpWarnOfDataset warn);

/*
 * Warn if a budget or cap is set on a data set without tables, or with an epsilon above dp_agg.high_epsilon, saying
 * what that means.
 */
extern void dp_budget_warn_of_limit(const char *dataset, double epsilon);

#endif							/* DP_BUDGET_LIMIT_WARNING_H */
