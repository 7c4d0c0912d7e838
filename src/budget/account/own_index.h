/* SPDX-License-Identifier: PostgreSQL */
/*
 * own_index.h
 *	  Indexes of the extension's tables, held to how it made them.
 */
#ifndef DP_BUDGET_ACCOUNT_OWN_INDEX_H
#define DP_BUDGET_ACCOUNT_OWN_INDEX_H

#include "postgres.h"

#include "utils/relcache.h"

/*
 * Open an index of a table, with AccessShareLock.  It has to be a valid one of these key columns, in their
 * order, and unique if so asked: else, or if there is none, 55000, which says the name.
 */
extern Relation dp_budget_own_index_open(Relation table, Oid relid, const AttrNumber *column, int columns,
										 bool unique, const char *name);

/* The same of the index with this name in the table's schema. */
extern Relation dp_budget_own_index_named(Relation table, const char *name, const AttrNumber *column, int columns,
										  bool unique);

#endif							/* DP_BUDGET_ACCOUNT_OWN_INDEX_H */
