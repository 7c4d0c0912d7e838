/*
 * enum_values.h
 *	  The values of an enum, which are public.
 */
#ifndef DP_POLICY_ENUM_VALUES_H
#define DP_POLICY_ENUM_VALUES_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * The labels of an enum in their order, as constants.  A plan made of them is made anew once
 * there are others: PostgreSQL itself keeps it, and rows of a label that the plan does not know
 * would be left out.
 */
extern List *dp_query_enum_values(Oid type);

#endif							/* DP_POLICY_ENUM_VALUES_H */
