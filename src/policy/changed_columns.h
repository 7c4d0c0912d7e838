/*
 * changed_columns.h
 *	  Whether columns are still what they were when a query was parsed.
 */
#ifndef DP_POLICY_CHANGED_COLUMNS_H
#define DP_POLICY_CHANGED_COLUMNS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * Has any column of a table that a query itself names, sub-queries apart, been dropped, or
 * got another type or collation, since the query was parsed?  Code of the analyst's may
 * have run since.  Returns the reason (55000), which names the column's place, or this one.
 */
extern DpReason *dp_query_check_columns(Query *query, int location);

#endif							/* DP_POLICY_CHANGED_COLUMNS_H */
