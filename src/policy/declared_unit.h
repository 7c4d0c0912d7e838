/* SPDX-License-Identifier: PostgreSQL */
/*
 * declared_unit.h
 *	  Warnings of a privacy unit that may not be meant.
 */
#ifndef DP_POLICY_DECLARED_UNIT_H
#define DP_POLICY_DECLARED_UNIT_H

#include "policy/policy.h"

/*
 * Say that rows are protected one by one if that may not be meant: if the unit's column alone is a key of its
 * table, and another column may say whose row it is.  That is one which refers to another table, or
 * one that is named after people, where the unit is not.
 */
extern void dp_policy_warn_of_rows(Relation relation, const DpPolicy *policy);

/*
 * Warn if rows have no unit, for these do not count.  Small tables are read, without statistics; of large ones those
 * that ANALYZE left tell.
 */
extern void dp_policy_warn_of_nulls(Relation relation, const DpPolicy *policy);

#endif							/* DP_POLICY_DECLARED_UNIT_H */
