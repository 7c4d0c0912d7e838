/*
 * met.c
 *	  How many questions this session met, and paid for.
 */
#include "postgres.h"

#include "query/nodes/met.h"

DpMet		dp_query_met = {0};
