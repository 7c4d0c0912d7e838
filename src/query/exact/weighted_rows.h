/*
 * weighted_rows.h
 *	  Rows of a model beside the number of rows that their units have.
 */
#ifndef DP_QUERY_EXACT_WEIGHTED_ROWS_H
#define DP_QUERY_EXACT_WEIGHTED_ROWS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * A query over `rows`, a query without output, that has of each row with all coordinates how many such
 * rows its unit has, and the coordinates; sets references to these.
 */
extern Query *dp_query_weigh_rows(Query *rows, Node *unit, List *coordinates, Var **count, List **values);

#endif							/* DP_QUERY_EXACT_WEIGHTED_ROWS_H */
