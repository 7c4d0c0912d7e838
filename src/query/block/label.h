/*
 * label.h
 *	  An aggregate as the analyst wrote it.
 */
#ifndef DP_QUERY_BLOCK_LABEL_H
#define DP_QUERY_BLOCK_LABEL_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Set a label to the aggregate as the analyst wrote it, for people to read: as a select list
 * without FROM.  Columns bear their table's name where there are several.
 */
extern void dp_query_set_label(Query *block, Aggref *aggref, char *label);

#endif							/* DP_QUERY_BLOCK_LABEL_H */
