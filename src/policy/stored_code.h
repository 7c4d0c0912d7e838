/* SPDX-License-Identifier: PostgreSQL */
/*
 * stored_code.h
 *	  What the expressions that are stored with a table would run.
 */
#ifndef DP_POLICY_STORED_CODE_H
#define DP_POLICY_STORED_CODE_H

#include "postgres.h"

#include "utils/rel.h"

/*
 * Do indexes, extended statistics, CHECK constraints or partition keys that concern an
 * open table call code that is not built in?  The planner runs them with constants.  The
 * catalogs are read, and nothing is evaluated.
 */
extern bool dp_policy_has_foreign_code(Relation relation);

#endif							/* DP_POLICY_STORED_CODE_H */
