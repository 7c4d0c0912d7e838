/*
 * filter_clause.h
 *	  FILTER of aggregates, as part of what they are over.
 */
#ifndef DP_PRICING_FILTER_CLAUSE_H
#define DP_PRICING_FILTER_CLAUSE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Have the aggregates of a block take NULL from rows that their FILTER leaves out, in place:
 * rows without a value do not count in any aggregate.
 */
extern void dp_query_fold_filters(Query *block);

#endif							/* DP_PRICING_FILTER_CLAUSE_H */
