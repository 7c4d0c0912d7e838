/*
 * running.h
 *	  Is an exact plan run just now?  What detoasted() and its like require.
 */
#ifndef DP_EXPRESSION_RUNNING_H
#define DP_EXPRESSION_RUNNING_H

#include "postgres.h"

/* Set by whoever runs one. */
extern bool dp_query_release_running;

#endif							/* DP_EXPRESSION_RUNNING_H */
