/* SPDX-License-Identifier: PostgreSQL */
/*
 * near_names.h
 *	  What may have been meant by the name of a column or data set that is not there.
 */
#ifndef DP_POLICY_NEAR_NAMES_H
#define DP_POLICY_NEAR_NAMES_H

#include "postgres.h"

/*
 * Hint of the column of a relation that has a name like this one, or NULL.  Names of columns are as public as
 * pg_attribute.
 */
extern const char *dp_policy_column_hint(Oid relid, const char *name);

/* Raise 42703 for a column that a relation does not have, with that hint. */
extern _Noreturn void dp_policy_raise_no_column(Oid relid, const char *name);

/*
 * Warn if tables are protected, and none of them belongs to this data set: for administrators, who are told a name
 * like it.
 */
extern void dp_policy_warn_of_dataset(const char *dataset);

#endif							/* DP_POLICY_NEAR_NAMES_H */
